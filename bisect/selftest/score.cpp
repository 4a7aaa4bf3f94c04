#include "bisect/selftest/score.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "bisect/bisection.hpp"

namespace tbci::bisect::selftest {
namespace {

constexpr int median_processes = 5;

/// Compares what a search named for one series with the truth.
void judge(const NamedCulprits& named, const NamedCulprits& truth, SearchOutcome& outcome) {
  outcome.exact = outcome.exact && named == truth;
  for (const auto& suspects : named) {
    const bool holds_one =
        std::ranges::any_of(truth, [&](const auto& culprits) { return std::ranges::includes(suspects, culprits); });
    outcome.wrong = outcome.wrong || !holds_one;
  }
}

/// The change that the commits of a set bring together.
double true_change(const SimulatedDay& day, std::size_t series, const std::vector<std::size_t>& commits) {
  double factor = 1;
  for (const Slowdown& slowdown : day.slowdowns) {
    if (slowdown.series == series && std::ranges::find(commits, slowdown.at) != commits.end())
      factor *= 1 + slowdown.change;
  }
  return factor - 1;
}

/// Looks whether the intervals hold the truth, of those steps whose commits are the right ones.
void judge_intervals(const model::Answer& answer, const NamedCulprits& named, const TrueDay& day, std::size_t series,
                     SearchOutcome& outcome) {
  for (std::size_t i = 0; i < named.size(); ++i) {
    if (std::ranges::find(day.truth[series], named[i]) == day.truth[series].end()) continue;
    const double change = true_change(day.day, series, named[i]);
    ++outcome.intervals;
    outcome.holding += answer.steps[i].low <= change && change <= answer.steps[i].high ? 1 : 0;
  }
}

class RoundCounter final : public Observer {
 public:
  void build_finished(const model::Commit&, const Built&, const SearchStatus& status) override {
    rounds = status.rounds;
  }
  int rounds = 0;
};

NamedCulprits named_by(const model::Answer& answer) {
  NamedCulprits named;
  for (const model::FoundStep& step : answer.steps) {
    std::vector<std::size_t> commits;
    for (const std::string& id : step.suspects) commits.push_back(std::stoul(id, nullptr, 16));
    named.push_back(std::move(commits));
  }
  return named;
}

Result<SearchOutcome> run_search(const Scenario& scenario, const TrueDay& day) {
  SimulatedProber prober(day.day);
  RoundCounter observer;
  SearchSettings settings;
  settings.builders = scenario.builders;
  settings.interleave = scenario.interleave;
  settings.priors = day.day.priors;
  std::vector<model::Series> series;
  for (std::size_t i = 0; i < day.truth.size(); ++i) series.push_back(series_of(i));
  TBCI_ASSIGN(const auto answers, bisect(commits_of(day.day), series, settings, prober, observer, {}));
  SearchOutcome outcome{.exact = true,
                        .builds = prober.machine().builds(),
                        .processes = prober.machine().processes() - prober.check_processes(),
                        .check_processes = prober.check_processes()};
  outcome.rounds = outcome.builds == 0 ? 0 : observer.rounds;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const NamedCulprits named = named_by(answers[i]);
    judge(named, day.truth[i], outcome);
    judge_intervals(answers[i], named, day, i, outcome);
  }
  return outcome;
}

SearchOutcome run_rival(const TrueDay& day,
                        const std::function<NamedCulprits(SimulatedProcesses&, std::size_t series)>& search) {
  SearchOutcome outcome{.exact = true};
  for (std::size_t series = 0; series < day.truth.size(); ++series) {
    SimulatedProcesses machine(day.day);
    judge(search(machine, series), day.truth[series], outcome);
    outcome.builds += machine.builds();
    outcome.processes += machine.processes();
  }
  outcome.rounds = outcome.builds;
  return outcome;
}

Spread spread_of(std::vector<double> values) {
  std::ranges::sort(values);
  Spread spread;
  for (double value : values) spread.mean += value / static_cast<double>(values.size());
  const auto at = static_cast<std::size_t>(std::ceil(0.95 * static_cast<double>(values.size())));
  spread.most_of_95 = values[std::max<std::size_t>(1, at) - 1];
  spread.worst = values.back();
  return spread;
}

Spread spread_of(const std::vector<SearchOutcome>& outcomes, int SearchOutcome::*number) {
  std::vector<double> values;
  for (const SearchOutcome& outcome : outcomes) values.push_back(outcome.*number);
  return spread_of(std::move(values));
}

/// Runs all days, several at a time.
Result<std::vector<SearchOutcome>> run_days(Method method, const Scenario& scenario, const SimulationPlan& plan,
                                            const std::stop_token& stop) {
  std::vector<SearchOutcome> outcomes(static_cast<std::size_t>(plan.days));
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::optional<Error> error;
  const auto work = [&] {
    for (std::size_t i = next++; i < outcomes.size() && !stop.stop_requested(); i = next++) {
      auto outcome = run_day(method, scenario, make_day(scenario, plan.seed * 1'000'003 + i));
      if (outcome) {
        outcomes[i] = *outcome;
        continue;
      }
      const std::scoped_lock lock(mutex);
      if (!error) error = outcome.error();
    }
  };
  {
    std::vector<std::jthread> workers;
    for (unsigned job = 1; job < std::max(1U, plan.jobs); ++job) workers.emplace_back(work);
    work();
  }
  if (stop.stop_requested()) return fail(ErrorKind::interrupted, "the simulation was stopped");
  if (error) return pass_on(*error);
  return outcomes;
}

}  // namespace

std::string name_of(Method method) {
  switch (method) {
    case Method::search:
      return "tbci";
    case Method::git_bisect_once:
      return "git bisect, 1 process";
    case Method::git_bisect_median:
      return "git bisect, median of 5";
    case Method::torchbench:
      return "TorchBench";
    case Method::pinpoint:
      return "Pinpoint";
  }
  return "";
}

Result<SearchOutcome> run_day(Method method, const Scenario& scenario, const TrueDay& day) {
  switch (method) {
    case Method::search:
      return run_search(scenario, day);
    case Method::git_bisect_once:
      return run_rival(day,
                       [&](SimulatedProcesses& m, std::size_t series) { return git_bisect(m, day.day, series, 1); });
    case Method::git_bisect_median:
      return run_rival(day, [&](SimulatedProcesses& m, std::size_t series) {
        return git_bisect(m, day.day, series, median_processes);
      });
    case Method::torchbench:
      return run_rival(day, [&](SimulatedProcesses& m, std::size_t series) { return torchbench(m, day.day, series); });
    case Method::pinpoint:
      return run_rival(day, [&](SimulatedProcesses& m, std::size_t series) { return pinpoint(m, day.day, series); });
  }
  return fail(ErrorKind::usage, "unknown search method");
}

Result<std::vector<Score>> score(const Scenario& scenario, const SimulationPlan& plan, std::stop_token stop) {
  if (plan.days < 1) return fail(ErrorKind::usage, "a simulation needs at least one day");
  std::vector<Method> methods = {Method::search};
  if (scenario.with_other_searches)
    methods.insert(methods.end(),
                   {Method::git_bisect_once, Method::git_bisect_median, Method::torchbench, Method::pinpoint});
  std::vector<Score> scores;
  for (const Method method : methods) {
    TBCI_ASSIGN(const auto outcomes, run_days(method, scenario, plan, stop));
    Score one{.scenario = scenario,
              .method = method,
              .days = plan.days,
              .builds = {},
              .processes = {},
              .check_processes = {},
              .rounds = {}};
    for (const SearchOutcome& outcome : outcomes) {
      one.exact += outcome.exact ? 1 : 0;
      one.wrong += outcome.wrong ? 1 : 0;
      one.intervals += outcome.intervals;
      one.holding += outcome.holding;
    }
    one.builds = spread_of(outcomes, &SearchOutcome::builds);
    one.processes = spread_of(outcomes, &SearchOutcome::processes);
    one.check_processes = spread_of(outcomes, &SearchOutcome::check_processes);
    one.rounds = spread_of(outcomes, &SearchOutcome::rounds);
    scores.push_back(std::move(one));
  }
  return scores;
}

}  // namespace tbci::bisect::selftest
