// Writes reports to files: for machines without a token, and to read reports before tbci files issues.
#pragma once

#include <filesystem>

#include "github/delivery.hpp"

namespace tbci::github {

/// Writes `<date>-<marker>.md` (the text) and `<date>-<marker>.json` (the body for GitHub's API) into a folder, which
/// it creates if necessary. The reference is the path of the text. A report whose text exists already with any date is
/// not written again; a later revision replaces it.
class FolderChannel final : public Channel {
 public:
  explicit FolderChannel(std::filesystem::path folder);
  std::string name() const override;
  Attempt deliver(const Dispatch& dispatch, std::stop_token stop) override;

 private:
  std::filesystem::path folder_;
};

}  // namespace tbci::github
