// Older builds that something of tonight is to be compared with.
#pragma once

#include <optional>
#include <string>

#include "pipeline/subject_context.hpp"
#include "storage/model/build.hpp"

namespace tbci::pipeline {

struct OldBuild {
  std::optional<model::Build> build;  ///< there, or made just now
  bool gone = false;                  ///< for good: what waits for it can end
  std::string reason;                 ///< why it is not there
};

/// The build of that name, made if its files are missing. A trouble that may pass (the network, a full disk, a setting
/// that a person can correct) leaves it neither there nor gone. Error: only `interrupted`, and those of the store.
Result<OldBuild> find_old_build(SubjectContext& context, const std::string& name);

}  // namespace tbci::pipeline
