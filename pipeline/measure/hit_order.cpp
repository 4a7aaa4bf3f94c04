#include "pipeline/measure/hit_order.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include "base/text.hpp"
#include "detect/expected_hit.hpp"
#include "pipeline/measure/profiling.hpp"

namespace tbci::pipeline {

namespace {

constexpr double hit_unknown = 0.01;

// Two processes of each build: the order alone depends on them.
constexpr ProfiledProcesses for_an_order{.at_least = 2, .at_most = 2};

bool ends_the_work(const Error& error) {
  return error.kind == ErrorKind::interrupted || error.kind == ErrorKind::damaged;
}

}  // namespace

Result<std::vector<model::Case>> by_expected_hit(SubjectContext& context, const Comparison& builds,
                                                 const model::Case& confirmed, std::vector<model::Case> cases,
                                                 std::optional<TimePoint> until) {
  const auto seen = compare_operators(context, builds, confirmed, for_an_order);
  if (!seen && ends_the_work(seen.error())) return pass_on(seen.error());
  if (!seen || seen->changed.empty()) return cases;
  std::map<model::Case, double> hits;
  for (const model::Case& each : cases) {
    hits[each] = hit_unknown;
    if (until && context.clock.now() >= *until) continue;
    const auto profile = profile_old_build(context, builds, each);
    if (!profile && ends_the_work(profile.error())) return pass_on(profile.error());
    if (profile) hits[each] = detect::expected_hit(*profile, *seen);
  }
  std::ranges::stable_sort(cases, std::greater{}, [&](const model::Case& each) { return hits.at(each); });
  return cases;
}

}  // namespace tbci::pipeline
