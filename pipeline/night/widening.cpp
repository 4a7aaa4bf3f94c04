#include "pipeline/night/widening.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "detect/breaks.hpp"
#include "pipeline/night/break_history.hpp"

namespace tbci::pipeline {

namespace {

// Whether the search found the build that it began at to be broken itself.
Result<bool> began_too_late(SubjectContext& context, const model::Bisection& searched, const model::Series& series) {
  TBCI_ASSIGN(const auto probes, context.stores.bisections.probes(searched.id));
  return std::ranges::any_of(probes, [&](const model::Probe& probe) {
    return probe.commit == searched.from && probe.series == series && probe.side == model::Side::bad;
  });
}

bool has_culprit(const model::Bisection& searched, const model::Series& series) {
  return std::ranges::any_of(searched.answers, [&](const model::Answer& answer) {
    return answer.series == series && !answer.suspects.empty();
  });
}

}  // namespace

Result<std::optional<model::Build>> earlier_good_end(SubjectContext& context, const model::Bisection& searched,
                                                     const std::string& old_build, const model::Night& tonight,
                                                     const model::Regression& regression) {
  const std::optional<model::Build> none;
  const model::Series& series = regression.finding.series;
  if (series.metric != model::Metric::outcome || has_culprit(searched, series)) return none;
  TBCI_ASSIGN(const bool too_late, began_too_late(context, searched, series));
  if (!too_late) return none;
  TBCI_ASSIGN(const auto name, surely_without_before(context, tonight, old_build, regression.finding));
  if (!name) return none;
  TBCI_ASSIGN(auto build, context.stores.builds.find(context.name(), model::BuildKind::nightly, *name));
  if (!build || build->product.commit.empty()) return none;
  context.progress.note(fmt::format("the source build of {} fails as well, so the search for {} begins at {}",
                                    old_build, to_string(series), *name));
  return build;
}

}  // namespace tbci::pipeline
