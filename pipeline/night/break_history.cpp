#include "pipeline/night/break_history.hpp"

#include <algorithm>
#include <vector>

#include "pipeline/measure/break_confirming.hpp"
#include "pipeline/measure/measuring.hpp"

namespace tbci::pipeline {
namespace {

struct NightlyTrials {
  std::string nightly;
  detect::Trials trials;
};

// What says nothing about a build (a full disk) does not count.
std::vector<NightlyTrials> trials_by_nightly(const std::vector<storage::NightlyOutcome>& history) {
  std::vector<NightlyTrials> all;
  for (const storage::NightlyOutcome& one : history) {
    model::Measurement measurement;
    measurement.outcome = one.outcome;
    measurement.message = one.message;
    measurement.details = one.details;
    measurement.finite = one.finite;
    if (!machine_trouble_of(measurement).empty()) continue;
    if (all.empty() || all.back().nightly != one.nightly) all.push_back({one.nightly, {}});
    all.back().trials = all.back().trials + detect::trials_of({&measurement, 1});
  }
  return all;
}

}  // namespace

Result<std::optional<std::string>> last_working_nightly(SubjectContext& context, const model::Night& tonight,
                                                        const model::Case& measured, const detect::Trials& trials) {
  TBCI_ASSIGN(const auto regressions,
              context.stores.nights.series_regressions(context.name(), series_of_break(measured)));
  const bool broke_before =
      std::ranges::any_of(regressions, [&](const model::Regression& one) { return one.night_id != tonight.id; });
  if (broke_before) return std::optional<std::string>{};
  // Nothing that tonight measured: a night that goes on after a kill finds the same.
  const storage::HistoryWindow window{.newest = 30, .since = {}, .before = tonight.name};
  TBCI_ASSIGN(const auto history,
              context.stores.runs.outcome_history(context.name(), measured, window, tonight.name + "/"));
  const std::vector<NightlyTrials> nightlies = trials_by_nightly(history);
  std::vector<detect::Trials> builds;
  for (const NightlyTrials& one : nightlies) builds.push_back(one.trials);
  builds.push_back(trials);
  const std::size_t first = detect::first_broken(builds);
  if (first == 0 || first + 1 >= builds.size()) return std::optional<std::string>{};
  return std::optional(nightlies[first - 1].nightly);
}

}  // namespace tbci::pipeline
