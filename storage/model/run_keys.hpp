// Names under which work is kept and found again. A run or a bisection that is asked for by the same key goes on where
// it was (docs/decisions/0006-work-is-found-again-by-name.md), so each key is made here and nowhere else. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "base/clock.hpp"

namespace tbci::model::run_keys {

/// Prefix of the runs of one comparison: a night's name, or what the functions below make.
std::string beside(const std::string& night, const std::string& old_build);  ///< a night's cases beside an older build
std::string creep(const std::string& night, std::int64_t anchor_id);         ///< a night's cases beside the anchor
std::string recovery(const std::string& night);                              ///< a night's looks at open regressions
std::string breaks(const std::string& night, const std::string& old_build);  ///< a night's processes for breaks
/// A nightly between a night's and an older build, beside that build.
std::string between(const std::string& night, const std::string& old_build, const std::string& nightly);
std::string comparison(TimePoint begun);  ///< `tbci compare`
/// `backends/2026-01-07T02:00:00Z`: one build by several backends.
std::string backends(TimePoint begun);
std::string revert(std::int64_t bisection_id, const std::string& culprit);  ///< the bad end without a culprit

std::string screen(const std::string& prefix);   ///< `2026-01-07/screen`
std::string confirm(const std::string& prefix);  ///< `2026-01-07/confirm`
std::string confirm_against(const std::string& prefix, const std::string& old_build);

/// The same run on a machine that has changed since it began.
std::string on_environment(const std::string& key, const std::string& fingerprint);

std::string measurement(TimePoint begun);  ///< `tbci run`
std::string operators(std::int64_t before_build_id, std::int64_t after_build_id);

/// Of a night's bisection; `old_build` only where that is not the night's baseline.
std::string night_bisection(const std::string& night, const std::string& old_build = {});
/// The same where it ends at an older nightly than the night's.
std::string narrowed_bisection(const std::string& night, const std::string& good, const std::string& bad);
/// Of what a person reopened after that bisection was over; `regression_id`: the first of it.
std::string reopened_bisection(const std::string& night_bisection, std::int64_t regression_id, int asked = 0);
/// Of the search for a night's improvements since an older build.
std::string improvement_bisection(const std::string& night, const std::string& old_build);
/// Of `tbci bisect`, between full hashes. `question`: all else that the answer depends on, as text.
std::string manual_bisection(const std::string& from, const std::string& to, const std::string& question);
std::string probe(std::int64_t bisection_id, const std::string& commit);
/// The good end beside a commit whose processes fail through the machine, as it seems.
std::string control(std::int64_t bisection_id, const std::string& commit);
std::string probe_pair(std::int64_t bisection_id, const std::string& reference, const std::string& commit);

}  // namespace tbci::model::run_keys
