// The outcome of a search as `git bisect log` writes it: `git bisect replay FILE` takes it. Pure.
#pragma once

#include <string>
#include <vector>

#include "bisect/rev_range.hpp"
#include "storage/model/bisection.hpp"

namespace tbci::repo_bisect {

/// `commits` as commits_between gives them. `probes` in the order in which they were decided: the last one of a commit
/// counts. The ends are named whatever the probes say of them; what was neither found good nor bad nor unbuildable is
/// left out.
std::string git_bisect_log(const std::vector<model::Commit>& commits, const std::vector<model::Probe>& probes,
                           const model::Answer& answer, bisect::Lineage lineage);

}  // namespace tbci::repo_bisect
