// Nightlies of a git branch: the last commit of each finished UTC day, built from source.
#pragma once

#include "runner/nightly/nightly_source.hpp"

namespace tbci::runner {

class GitNightlies final : public NightlySource {
 public:
  GitNightlies(const Subject& subject, SourceBuilder& builder, const Clock& clock);
  /// Updates the mirror first. Lists a day only after its end (by the clock, UTC): until then its last commit is not
  /// known.
  Result<std::vector<model::Nightly>> list(std::stop_token stop) override;
  Result<model::Product> install(const model::Nightly& nightly, std::stop_token stop) override;

 private:
  const Subject& subject_;
  SourceBuilder& builder_;
  const Clock& clock_;
};

}  // namespace tbci::runner
