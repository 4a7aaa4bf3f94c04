// Runs the search for the commits at which cases broke: builds, tries, and judges by yes or no.
//
// As for bisect(): what it asks for is a pure function of the Prober's answers, so a search is resumed by calling it
// again.
#pragma once

#include <stop_token>
#include <vector>

#include "base/result.hpp"
#include "bisect/prober.hpp"
#include "bisect/search_settings.hpp"
#include "storage/model/bisection.hpp"

namespace tbci::bisect {

/// `commits` as for bisect(). `series`: one a case, of the metric `outcome`. Returns one answer for each series, in
/// their order; the change of a step is the share of processes that fail from it on. Errors: as of bisect().
Result<std::vector<model::Answer>> bisect_breaks(const std::vector<model::Commit>& commits,
                                                 const std::vector<model::Series>& series,
                                                 const SearchSettings& settings, Prober& prober, Observer& observer,
                                                 std::stop_token stop);

}  // namespace tbci::bisect
