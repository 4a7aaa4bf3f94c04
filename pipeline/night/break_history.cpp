#include "pipeline/night/break_history.hpp"

#include <algorithm>
#include <ranges>
#include <vector>

#include "base/version_order.hpp"
#include "pipeline/measure/break_confirming.hpp"
#include "pipeline/measure/measuring.hpp"

namespace tbci::pipeline {
namespace {

// The chance of a break to hide by which it has ended. A flaky one has many runs of processes in which it may hide, and
// to take it for over means to report it twice.
constexpr double surely_over = 0.0001;

struct NightlyTrials {
  std::string nightly;
  detect::Trials trials;
};

// What says nothing about a build (a full disk) does not count.
std::vector<NightlyTrials> trials_by_nightly(const std::vector<storage::NightlyOutcome>& history) {
  std::vector<NightlyTrials> all;
  for (const storage::NightlyOutcome& one : history) {
    const detect::Trials trials = trials_of(one);
    if (trials.processes == 0) continue;
    if (all.empty() || all.back().nightly != one.nightly) all.push_back({one.nightly, {}});
    all.back().trials = all.back().trials + trials;
  }
  return all;
}

// The nights that know the case's present way of ending.
struct KnownSince {
  bool possible = true;  ///< else an earlier break is not over, and its failures cannot be told from new ones
  std::string nightly;   ///< the first that counts; empty: all
};

// The nightly on which a break was over; one that a person has accepted or dismissed ends as well.
Result<std::optional<std::string>> end_of(SubjectContext& context, const model::Night& tonight,
                                          const model::Regression& broken) {
  if (broken.standing == model::Standing::recovered) {
    TBCI_ASSIGN(const auto ending, context.stores.improvements.ending_of(broken.id));
    if (!ending) return std::optional<std::string>{};
    return context.stores.nights.get(ending->night_id).map([](const model::Night& night) {
      return std::optional(night.name);
    });
  }
  if (model::is_open(broken.standing)) return std::optional<std::string>{};
  TBCI_ASSIGN(const model::Night found, context.stores.nights.get(broken.night_id));
  return over_since(context, tonight, found, broken.finding);
}

Result<KnownSince> known_since(SubjectContext& context, const model::Night& tonight, const model::Case& measured) {
  TBCI_ASSIGN(const auto regressions,
              context.stores.nights.series_regressions(context.name(), series_of_break(measured)));
  KnownSince since;
  for (const model::Regression& one : regressions) {
    if (one.night_id == tonight.id) continue;
    TBCI_ASSIGN(const auto end, end_of(context, tonight, one));
    if (!end) return KnownSince{.possible = false, .nightly = {}};
    if (since.nightly.empty() || is_older(since.nightly, *end)) since.nightly = *end;
  }
  return since;
}

struct NightlyRange {
  std::string after;  ///< empty: all
  std::string before;
};

// The newest nightly of a range from which on the case ran in enough of the range's processes for the break not to
// have been there, all without a failure; a failure lets the count begin again.
Result<std::optional<std::string>> without_between(SubjectContext& context, const model::Night& tonight,
                                                   const NightlyRange& range, const model::Finding& broken) {
  const storage::HistoryWindow window{.newest = most_quiet_nights, .since = range.after, .before = range.before};
  TBCI_ASSIGN(const auto history, context.stores.runs.outcome_history(context.name(), broken.series.measured_case(),
                                                                      window, tonight.name + "/"));
  const std::vector<NightlyTrials> nightlies = trials_by_nightly(history);
  const int enough = detect::processes_until_over(broken.low);
  int processes = 0;
  for (const NightlyTrials& one : std::views::reverse(nightlies)) {
    if (!range.after.empty() && !is_older(range.after, one.nightly)) break;
    processes = one.trials.failures > 0 ? 0 : processes + one.trials.processes;
    if (processes >= enough) return std::optional(one.nightly);
  }
  return std::optional<std::string>{};
}

}  // namespace

Result<std::optional<std::string>> last_working_nightly(SubjectContext& context, const model::Night& tonight,
                                                        const model::Case& measured, const detect::Trials& trials) {
  TBCI_ASSIGN(const KnownSince since, known_since(context, tonight, measured));
  if (!since.possible) return std::optional<std::string>{};
  // Nothing that tonight measured: a night that goes on after a kill finds the same.
  const storage::HistoryWindow window{.newest = 30, .since = since.nightly, .before = tonight.name};
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

Result<std::optional<std::string>> over_since(SubjectContext& context, const model::Night& tonight,
                                              const model::Night& found, const model::Finding& broken) {
  const storage::HistoryWindow window{.newest = most_quiet_nights, .since = found.name, .before = tonight.name};
  TBCI_ASSIGN(const auto history, context.stores.runs.outcome_history(context.name(), broken.series.measured_case(),
                                                                      window, tonight.name + "/"));
  // What its confirmation allows, and all that was seen of it: the nights that saw it may be too long ago.
  const int enough = detect::processes_until_over(broken.low);
  detect::Trials seen;            // of the build while it was broken
  int processes = 0, nights = 0;  // in a row without a failure
  for (const auto& [nightly, trials] : trials_by_nightly(history)) {
    if (is_older(nightly, found.name)) continue;
    if (nightly == found.name || trials.failures > 0) {
      seen = seen + detect::Trials{.processes = processes, .failures = 0} + trials;
      processes = nights = 0;
      continue;
    }
    processes += trials.processes;
    ++nights;
    const bool would_hide = detect::chance_to_hide(seen, processes) > surely_over;
    if (nights >= most_quiet_nights || processes >= enough || !would_hide) return std::optional(nightly);
  }
  return std::optional<std::string>{};
}

Result<int> quiet_processes(SubjectContext& context, const model::Night& tonight, const model::Night& found,
                            const model::Finding& broken) {
  const storage::HistoryWindow window{.newest = most_quiet_nights, .since = found.name, .before = tonight.name};
  TBCI_ASSIGN(const auto history, context.stores.runs.outcome_history(context.name(), broken.series.measured_case(),
                                                                      window, tonight.name + "/"));
  int processes = 0;
  for (const auto& [nightly, trials] : trials_by_nightly(history)) {
    const bool quiet = is_older(found.name, nightly) && trials.failures == 0;
    processes = quiet ? processes + trials.processes : 0;
  }
  return processes;
}

Result<std::optional<std::string>> surely_without(SubjectContext& context, const model::Night& tonight,
                                                  const std::string& old_build, const model::Finding& broken) {
  return without_between(context, tonight, {.after = old_build, .before = tonight.name}, broken);
}

Result<std::optional<std::string>> surely_without_before(SubjectContext& context, const model::Night& tonight,
                                                         const std::string& nightly, const model::Finding& broken) {
  TBCI_ASSIGN(const KnownSince since, known_since(context, tonight, broken.series.measured_case()));
  if (!since.possible) return std::optional<std::string>{};
  return without_between(context, tonight, {.after = since.nightly, .before = nightly}, broken);
}

}  // namespace tbci::pipeline
