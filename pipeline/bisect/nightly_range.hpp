// The commits of main between two nightlies, for a person.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pipeline/subject_context.hpp"
#include "storage/model/bisection.hpp"
#include "storage/model/build.hpp"

namespace tbci::pipeline {

struct RangeCommit {
  model::Commit commit;
  std::optional<int> pull_request;
};

struct NightlyRange {
  model::Build from, to;
  std::vector<RangeCommit> commits;     ///< that `to` has and `from` has not, the oldest first; none: both are of one
  std::vector<RangeCommit> taken_back;  ///< that `from` has and `to` has not, as main was rewound between the two
};

/// `from` is the older nightly. One that tbci does not know is installed, where the index does not say its commit: its
/// files do. Errors (usage): an unknown nightly, the newer one first, no repository; (failed): a nightly does not say
/// which commit it was built from.
Result<NightlyRange> nightly_range(SubjectContext& context, const std::string& from, const std::string& to);

}  // namespace tbci::pipeline
