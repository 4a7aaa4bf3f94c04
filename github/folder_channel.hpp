// Reports as files: for machines without a token, and for reading before anything goes out.
#pragma once

#include <filesystem>

#include "github/delivery.hpp"

namespace tbci::github {

/// Writes `<date>-<marker>.md` (the text) and `<date>-<marker>.json` (what GitHub's API takes) into a folder, which is
/// made where it is missing. The reference is the path of the text. A report whose text is there already, of whatever
/// date, is not written again.
class FolderChannel final : public Channel {
 public:
  explicit FolderChannel(std::filesystem::path folder);
  std::string name() const override;
  Attempt deliver(const model::Report& report, std::stop_token stop) override;

 private:
  std::filesystem::path folder_;
};

}  // namespace tbci::github
