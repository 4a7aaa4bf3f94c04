// Runs a search: builds, measures, judges, and checks each culprit against its parent.
//
// What a search asks for is a pure function of the Prober's answers. To resume an interrupted bisection, call bisect()
// again: a Prober that returns stored answers leads it along the same way at no cost.
#pragma once

#include <stop_token>
#include <vector>

#include "base/result.hpp"
#include "bisect/prober.hpp"
#include "bisect/search_settings.hpp"
#include "storage/model/bisection.hpp"

namespace tbci::bisect {

/// `commits` as commits_between returns them: good end first, bad end last, at least two. Returns one answer for each
/// series, in their order. Errors: those of the Prober and the Observer, `usage` for too few commits or a prior of the
/// wrong length, and `interrupted` when a stop was requested.
Result<std::vector<model::Answer>> bisect(const std::vector<model::Commit>& commits,
                                          const std::vector<model::Series>& series, const SearchSettings& settings,
                                          Prober& prober, Observer& observer, std::stop_token stop);

}  // namespace tbci::bisect
