#include "pipeline/measure/runner_comparison.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/text.hpp"
#include "pipeline/measure/benchmark_list.hpp"
#include "pipeline/measure/stored_processes.hpp"
#include "runner/environment/readable_diff.hpp"

namespace tbci::pipeline {

namespace {

constexpr std::size_t most_differences = 12;

/// A runner and what it measured of the build.
struct RunnerSide {
  std::string name;
  std::map<model::Case, StoredProcesses> cases;
};

using Environments = std::map<std::string, model::Environment>;  // by fingerprint

Status check_runners(SubjectContext& context, const std::vector<std::string>& runners) {
  TBCI_ASSIGN(const auto known, context.stores.runs.runners(context.name()));
  if (runners.size() < 2)
    return fail(ErrorKind::usage, "--runners needs two names, as in --runners R1,R2; {} has runs of: {}",
                context.name(), known.empty() ? "none" : one_line(join(known, ", "), 300));
  for (std::size_t i = 0; i < runners.size(); ++i) {
    const std::string shown = one_line(runners[i], 60);
    if (std::find(runners.begin(), runners.begin() + static_cast<std::ptrdiff_t>(i), runners[i]) !=
        runners.begin() + static_cast<std::ptrdiff_t>(i))
      return fail(ErrorKind::usage, "the runner {} is named twice: name two different ones", shown);
    if (std::ranges::find(known, runners[i]) == known.end())
      return fail(ErrorKind::usage, "{} has no runs of the runner '{}'{}; it has runs of: {}", context.name(), shown,
                  did_you_mean(runners[i], known), known.empty() ? "none" : one_line(join(known, ", "), 300));
  }
  return {};
}

// A build that is known already, by its name or by the begin of its commit: nothing is fetched, installed or built to
// compare what is stored.
Result<std::optional<model::Build>> known_build(SubjectContext& context, const std::string& name,
                                                const std::vector<std::string>& runners) {
  using model::BuildKind;
  constexpr std::size_t least_prefix = 7;
  TBCI_ASSIGN(auto nightly, context.stores.builds.find(context.name(), BuildKind::nightly, name));
  if (nightly) return nightly;
  std::set<std::string> commits;
  for (const std::string& runner : runners) {
    TBCI_ASSIGN(const auto builds, context.stores.runs.measured_builds(context.name(), runner));
    for (const std::string& one : builds) {
      if (one == name || (name.size() >= least_prefix && one.starts_with(name))) commits.insert(one);
    }
  }
  return context.stores.builds.find(context.name(), BuildKind::commit, commits.size() == 1 ? *commits.begin() : name);
}

// Which builds all of them measured, for whoever named another one.
Result<std::string> common_builds(SubjectContext& context, const std::vector<std::string>& runners) {
  constexpr std::size_t shown = 5;
  std::vector<std::string> common;
  for (std::size_t i = 0; i < runners.size(); ++i) {
    TBCI_ASSIGN(auto builds, context.stores.runs.measured_builds(context.name(), runners[i]));
    if (i == 0)
      common = std::move(builds);
    else
      std::erase_if(common, [&](const auto& one) { return std::ranges::find(builds, one) == builds.end(); });
  }
  if (common.empty()) return std::string("they have no build in common: measure one on both by `tbci run --build`");
  const bool more = common.size() > shown;
  if (more) common.resize(shown);
  return fmt::format("all of them measured {}{}", one_line(join(common, ", "), 300), more ? ", and more" : "");
}

Result<std::vector<RunnerSide>> sides_of(SubjectContext& context, const std::string& name,
                                         const std::optional<model::Build>& build,
                                         const std::vector<std::string>& runners) {
  std::vector<RunnerSide> sides;
  for (const std::string& runner : runners) {
    RunnerSide side{.name = runner, .cases = {}};
    if (build) {
      TBCI_ASSIGN(side.cases, stored_processes(context.stores, build->id, runner));
    }
    if (side.cases.empty()) {
      TBCI_ASSIGN(const std::string common, common_builds(context, runners));
      return fail(ErrorKind::usage, "{} has measured nothing of {}: {}", one_line(runner, 60), one_line(name, 60),
                  common);
    }
    sides.push_back(std::move(side));
  }
  return sides;
}

// The cases that one of them has and the configuration asks for.
Result<std::vector<model::Case>> asked_cases(const settings::MeasureConfig& wanted,
                                             const std::vector<RunnerSide>& sides) {
  std::set<model::Case> all;
  std::set<std::string> names;
  for (const RunnerSide& side : sides) {
    for (const auto& [measured, stored] : side.cases) {
      names.insert(measured.benchmark);
      all.insert(measured);
    }
  }
  const std::vector<std::string> known(names.begin(), names.end());
  for (const std::string& name : wanted.benchmarks) {
    if (!names.contains(name))
      return fail(ErrorKind::usage, "none of them measured the benchmark '{}' on this build{}", one_line(name, 60),
                  did_you_mean(name, known));
  }
  const auto has = [](const auto& list, const auto& one) { return std::ranges::find(list, one) != list.end(); };
  std::erase_if(all, [&](const model::Case& one) {
    const auto eager = with(model::Backend::eager, one.configuration);
    return (!wanted.benchmarks.empty() && !has(wanted.benchmarks, one.benchmark)) ||
           !has(wanted.configurations, eager) || !has(wanted.backends, one.configuration.backend);
  });
  return std::vector(all.begin(), all.end());
}

Result<Environments> environments_of(SubjectContext& context, const std::vector<RunnerSide>& sides) {
  Environments environments;
  for (const RunnerSide& side : sides) {
    for (const auto& [measured, stored] : side.cases) {
      if (stored.environment.empty() || environments.contains(stored.environment)) continue;
      TBCI_ASSIGN(auto environment, context.stores.runs.environment(stored.environment));
      if (environment) environments[stored.environment] = std::move(*environment);
    }
  }
  return environments;
}

// Why the numbers of two environments are of different work; empty where they are not.
std::string why_other_work(const model::Case& measured, const RunnerSide& first, const RunnerSide& other,
                           const Environments& environments) {
  const auto value = [&](const RunnerSide& side, const char* fact) -> std::string {
    const auto environment = environments.find(side.cases.at(measured).environment);
    if (environment == environments.end()) return "unknown";
    const auto found = environment->second.facts.find(fact);
    return found == environment->second.facts.end() ? "unknown" : one_line(found->second, 100);
  };
  for (const char* fact : {"precision", "batch", measured.configuration.gpu ? "size on a GPU" : "size"}) {
    const std::string one = value(first, fact), two = value(other, fact);
    if (one != two) return fmt::format("the {} is {} on {}, and {} on {}", fact, one, first.name, two, other.name);
  }
  return {};
}

std::string why_without(const RunnerSide& side, const model::Case& measured) {
  const auto found = side.cases.find(measured);
  if (found == side.cases.end()) return "not measured on this build";
  return found->second.why;
}

std::optional<detect::MeanRatio> ratio_between(const StoredProcesses& first, const StoredProcesses& other,
                                               model::Metric metric) {
  const auto values = [&](const StoredProcesses& stored) {
    std::vector<double> all;
    for (const model::Measurement& process : stored.processes) {
      if (const auto value = value_of(process, metric); value && *value > 0) all.push_back(*value);
    }
    return all;
  };
  return detect::ratio_of_groups(values(first), values(other));
}

RunnerResult result_beside(const model::Case& measured, const RunnerSide& first, const RunnerSide& other,
                           const Environments& environments) {
  RunnerResult result{.runner = other.name, .time = {}, .cpu_memory = {}, .gpu_memory = {}, .why = {}};
  result.why = why_without(other, measured);
  if (!result.why.empty() || !why_without(first, measured).empty()) return result;
  result.why = why_other_work(measured, first, other, environments);
  if (!result.why.empty()) return result;
  const StoredProcesses &before = first.cases.at(measured), &after = other.cases.at(measured);
  result.time = ratio_between(before, after, model::Metric::time);
  result.cpu_memory = ratio_between(before, after, model::Metric::cpu_memory);
  result.gpu_memory = ratio_between(before, after, model::Metric::gpu_memory);
  if (!result.time)
    result.why = fmt::format("{} on {} and {} on {}: too few processes for an interval", before.processes.size(),
                             first.name, after.processes.size(), other.name);
  return result;
}

std::map<std::string, std::string> domains_of(SubjectContext& context, const model::Build& build) {
  std::map<std::string, std::string> domains;
  const auto listing = listed_benchmarks(context, build.product);
  if (!listing) {
    context.progress.note("no means by domain: " + one_line(listing.error().message, 200));
    return domains;
  }
  for (const runner::BenchmarkInfo& benchmark : listing->benchmarks) domains[benchmark.name] = benchmark.domain;
  return domains;
}

std::vector<ComparedRunners> compared_cases(const std::vector<model::Case>& asked, const std::vector<RunnerSide>& sides,
                                            const Environments& environments) {
  const RunnerSide& first = sides.front();
  std::vector<ComparedRunners> all;
  for (const model::Case& measured : asked) {
    ComparedRunners one{
        .measured = measured, .domain = {}, .nanoseconds = {}, .why = why_without(first, measured), .results = {}};
    std::vector<double> times;
    if (one.why.empty()) {
      for (const model::Measurement& process : first.cases.at(measured).processes) {
        if (const auto time = value_of(process, model::Metric::time)) times.push_back(*time);
      }
    }
    if (!times.empty()) one.nanoseconds = model::median(std::move(times));
    for (std::size_t i = 1; i < sides.size(); ++i)
      one.results.push_back(result_beside(measured, first, sides[i], environments));
    all.push_back(std::move(one));
  }
  return all;
}

// Where nothing can be compared: what most of the cases lack.
Status check_any(const std::string& build, const std::vector<ComparedRunners>& cases) {
  std::map<std::string, int> reasons;
  for (const ComparedRunners& one : cases) {
    for (const RunnerResult& result : one.results) {
      if (result.time) return {};
      ++reasons[one.why.empty() ? result.why : "on the first: " + one.why];
    }
  }
  const auto most = std::ranges::max_element(reasons, {}, [](const auto& reason) { return reason.second; });
  return fail(ErrorKind::usage, "these runners have no case in common on {}: {}", one_line(build, 60),
              most == reasons.end() ? "neither measured what was asked for" : one_line(most->first, 300));
}

std::vector<RunnerDifference> differences_of(const std::vector<ComparedRunners>& cases,
                                             const std::vector<RunnerSide>& sides, const Environments& environments) {
  std::map<std::tuple<std::size_t, std::string, std::string>, std::size_t> counts;
  for (const ComparedRunners& one : cases) {
    for (std::size_t i = 0; i < one.results.size(); ++i) {
      if (!one.results[i].time) continue;
      const auto environment = [&](const RunnerSide& side) { return side.cases.at(one.measured).environment; };
      ++counts[{i + 1, environment(sides.front()), environment(sides[i + 1])}];
    }
  }
  std::vector<RunnerDifference> differences;
  for (const auto& [key, count] : counts) {
    const auto& [side, before, after] = key;
    const auto old_one = environments.find(before), new_one = environments.find(after);
    const bool known = old_one != environments.end() && new_one != environments.end();
    differences.push_back(
        {.runner = sides[side].name,
         .cases = count,
         .what = known ? runner::readable_diff(old_one->second, new_one->second, most_differences) : "unknown"});
  }
  return differences;
}

Result<std::vector<RunnerPeaks>> peaks_of(SubjectContext& context, const model::Build& build,
                                          const std::vector<RunnerSide>& sides) {
  std::vector<RunnerPeaks> all;
  for (const RunnerSide& side : sides) {
    std::map<std::string, int> counts;
    for (const auto& [measured, stored] : side.cases) {
      if (!stored.environment.empty()) ++counts[stored.environment];
    }
    RunnerPeaks one{.runner = side.name, .peaks = {}};
    const auto most = std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
    if (most != counts.end()) {
      TBCI_ASSIGN(one.peaks, context.stores.peaks.of({build.id, side.name, most->first}));
    }
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace

Result<RunnerComparison> compare_runners(SubjectContext& context, const std::string& build,
                                         const std::vector<std::string>& runners) {
  TBCI_TRY(check_runners(context, runners));
  TBCI_ASSIGN(const auto known, known_build(context, build, runners));
  TBCI_ASSIGN(const auto sides, sides_of(context, build, known, runners));
  TBCI_ASSIGN(const auto asked, asked_cases(context.config.measure, sides));
  TBCI_ASSIGN(const Environments environments, environments_of(context, sides));
  RunnerComparison comparison;
  comparison.cases = compared_cases(asked, sides, environments);
  TBCI_TRY(check_any(build, comparison.cases));
  const auto domains = domains_of(context, *known);
  for (ComparedRunners& one : comparison.cases) {
    const auto found = domains.find(one.measured.benchmark);
    if (found != domains.end()) one.domain = found->second;
  }
  comparison.differences = differences_of(comparison.cases, sides, environments);
  TBCI_ASSIGN(comparison.peaks, peaks_of(context, *known, sides));
  return comparison;
}

}  // namespace tbci::pipeline
