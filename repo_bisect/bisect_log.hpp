// Writes the result of a search in the format of `git bisect log`, for `git bisect replay FILE`. Pure.
#pragma once

#include <string>
#include <vector>

#include "bisect/rev_range.hpp"
#include "storage/model/bisection.hpp"

namespace tbci::repo_bisect {

/// `commits` as commits_between returns them. `probes` in the order in which they were judged; the last probe of a
/// commit counts. Always marks both ends, and leaves out commits whose side is unknown.
std::string git_bisect_log(const std::vector<model::Commit>& commits, const std::vector<model::Probe>& probes,
                           const model::Answer& answer, bisect::Lineage lineage);

}  // namespace tbci::repo_bisect
