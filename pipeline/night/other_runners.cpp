#include "pipeline/night/other_runners.hpp"

#include <algorithm>
#include <map>

#include "base/host_name.hpp"
#include "base/text.hpp"
#include "detect/mean_ratio.hpp"
#include "pipeline/measure/measuring.hpp"
#include "pipeline/measure/profiling.hpp"
#include "pipeline/measure/stored_processes.hpp"
#include "pipeline/night/machine_words.hpp"
#include "runner/environment/readable_diff.hpp"

namespace tbci::pipeline {

namespace {

// What a runner says of two builds, and in which environment.
struct RatioThere {
  detect::MeanRatio ratio;
  std::string environment;
};

const model::Regression* worst_time(const std::vector<model::Regression>& regressions) {
  const model::Regression* worst = nullptr;
  for (const model::Regression& one : regressions) {
    if (one.finding.series.metric != model::Metric::time || !one.bisection_id) continue;
    if (worst == nullptr || one.finding.change > worst->finding.change) worst = &one;
  }
  return worst;
}

// Both as they were built for the search; nothing where one of them is not known any more.
Result<std::optional<Comparison>> culprit_beside_parent(SubjectContext& context, std::int64_t bisection_id,
                                                        const std::string& culprit) {
  TBCI_ASSIGN(const model::Bisection search, context.stores.bisections.get(bisection_id));
  const auto commits = context.machine.commits_between(search.from, search.to, context.stop);
  if (!commits && commits.error().kind == ErrorKind::interrupted) return pass_on(commits.error());
  if (!commits) return std::optional<Comparison>{};  // the repository is not needed for a report
  const auto parent = built_parent(*commits, culprit);
  if (!parent) return std::optional<Comparison>{};
  using model::BuildKind;
  TBCI_ASSIGN(const auto before, context.stores.builds.find(context.name(), BuildKind::commit, *parent));
  TBCI_ASSIGN(const auto after, context.stores.builds.find(context.name(), BuildKind::commit, culprit));
  if (!before || !after) return std::optional<Comparison>{};
  return std::optional(Comparison{*before, *after});
}

Result<std::vector<detect::Pair>> pairs_in(SubjectContext& context, const model::Run& run, const Comparison& builds,
                                           const model::Series& series) {
  TBCI_ASSIGN(const auto old_ones, context.stores.runs.measurements(run.id, builds.before.id, series.measured_case()));
  TBCI_ASSIGN(const auto new_ones, context.stores.runs.measurements(run.id, builds.after.id, series.measured_case()));
  std::map<int, const model::Measurement*> by_ordinal;
  for (const model::PlacedMeasurement& one : old_ones) by_ordinal[one.place.ordinal] = &one.measurement;
  std::vector<detect::Pair> pairs;
  for (const model::PlacedMeasurement& one : new_ones) {
    const auto found = by_ordinal.find(one.place.ordinal);
    if (found == by_ordinal.end()) continue;
    const auto pair = pair_of(*found->second, one.measurement, series.metric);
    if (pair && pair->before > 0 && pair->after > 0) pairs.push_back(*pair);
  }
  return pairs;
}

// Of the processes of both builds that ran together, in the latest environment that has any.
Result<std::optional<RatioThere>> ratio_of_pairs(SubjectContext& context, const std::vector<model::Run>& runs,
                                                 const Comparison& builds, const model::Series& series) {
  std::vector<detect::Pair> all;
  std::string environment;
  for (const model::Run& run : runs) {
    if (!environment.empty() && run.environment != environment) continue;
    TBCI_ASSIGN(const auto pairs, pairs_in(context, run, builds, series));
    if (!pairs.empty()) environment = run.environment;
    all.insert(all.end(), pairs.begin(), pairs.end());
  }
  const auto ratio = detect::mean_ratio(all);
  return ratio ? std::optional(RatioThere{*ratio, environment}) : std::nullopt;
}

Result<std::optional<RatioThere>> ratio_of_processes(SubjectContext& context, const std::string& runner,
                                                     const Comparison& builds, const model::Series& series) {
  const auto times_on = [&](const model::Build& build) -> Result<std::pair<std::string, std::vector<double>>> {
    TBCI_ASSIGN(const auto cases, stored_processes(context.stores, build.id, runner));
    const auto found = cases.find(series.measured_case());
    if (found == cases.end()) return std::pair(std::string(), std::vector<double>());
    return std::pair(found->second.environment, values_of(found->second.processes, series.metric));
  };
  TBCI_ASSIGN(const auto before, times_on(builds.before));
  TBCI_ASSIGN(const auto after, times_on(builds.after));
  if (before.first.empty() || before.first != after.first) return std::optional<RatioThere>{};
  const auto ratio = detect::ratio_of_groups(before.second, after.second);
  return ratio ? std::optional(RatioThere{*ratio, before.first}) : std::nullopt;
}

github::Elsewhere verdict_of(detect::AgainstThreshold answer) {
  switch (answer) {
    case detect::AgainstThreshold::above:
      return github::Elsewhere::slower;
    case detect::AgainstThreshold::below:
      return github::Elsewhere::unchanged;
    case detect::AgainstThreshold::undecided:
      break;
  }
  return github::Elsewhere::undecided;
}

// How the machine of the runs there differs from this one's; empty where that is not known.
Result<std::string> difference_of(SubjectContext& context, const std::string& here, const std::string& there) {
  if (here.empty()) return std::string();
  TBCI_ASSIGN(const auto own, context.stores.runs.environment(here));
  TBCI_ASSIGN(const auto other, context.stores.runs.environment(there));
  return own && other ? runner::readable_diff(*own, *other) : std::string();
}

// All that measured the culprit, the latest run first.
std::map<std::string, std::vector<model::Run>> by_runner(std::vector<model::Run> runs) {
  std::map<std::string, std::vector<model::Run>> all;
  for (model::Run& run : runs) {
    std::string name = run.runner;
    all[std::move(name)].push_back(std::move(run));
  }
  return all;
}

Result<std::optional<github::OtherRunner>> other_runner(SubjectContext& context, const std::string& name,
                                                        const std::vector<model::Run>& runs, const Comparison& builds,
                                                        const model::Series& series, const std::string& own) {
  TBCI_ASSIGN(auto found, ratio_of_pairs(context, runs, builds, series));
  if (!found) {
    TBCI_ASSIGN(found, ratio_of_processes(context, name, builds, series));
  }
  if (!found) return std::optional<github::OtherRunner>{};
  const double threshold = context.config.thresholds.for_series(series).relative;
  github::OtherRunner other{.name = name,
                            .verdict = verdict_of(detect::against(threshold, found->ratio)),
                            .change = found->ratio.ratio - 1,
                            .low = found->ratio.low - 1,
                            .high = found->ratio.high - 1,
                            .difference = {}};
  TBCI_ASSIGN(other.difference, difference_of(context, own, found->environment));
  if (!context.config.report.name_runner) {
    const MachineWords words({context.config.runner.name, host_name(), name}, context.config.service.state);
    other.difference = words.without(other.difference);
    other.name.clear();
  }
  return std::optional(std::move(other));
}

}  // namespace

Result<std::optional<MeasuredElsewhere>> measured_elsewhere(SubjectContext& context,
                                                            const std::vector<model::Regression>& regressions,
                                                            const std::vector<std::string>& suspects) {
  const model::Regression* worst = worst_time(regressions);
  if (worst == nullptr || suspects.size() != 1) return std::optional<MeasuredElsewhere>{};
  TBCI_ASSIGN(const auto known, context.stores.runs.runners(context.name()));
  if (known.size() < 2) return std::optional<MeasuredElsewhere>{};
  TBCI_ASSIGN(const auto builds, culprit_beside_parent(context, *worst->bisection_id, suspects.front()));
  if (!builds) return std::optional<MeasuredElsewhere>{};
  TBCI_ASSIGN(auto runs, context.stores.runs.runs_of_build(builds->after.id));
  const auto all = by_runner(std::move(runs));
  const auto own = all.find(context.config.runner.name);
  MeasuredElsewhere elsewhere{.series = worst->finding.series, .runners = {}};
  for (const auto& [name, its_runs] : all) {
    if (name == context.config.runner.name) continue;
    const std::string here = own == all.end() ? std::string() : own->second.front().environment;
    TBCI_ASSIGN(auto other, other_runner(context, name, its_runs, *builds, elsewhere.series, here));
    if (other) elsewhere.runners.push_back(std::move(*other));
  }
  return elsewhere.runners.empty() ? std::nullopt : std::optional(std::move(elsewhere));
}

}  // namespace tbci::pipeline
