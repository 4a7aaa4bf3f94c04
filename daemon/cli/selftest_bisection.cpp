#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/process.hpp"
#include "bisect/selftest/score.hpp"
#include "daemon/cli/application.hpp"
#include "daemon/cli/json.hpp"
#include "daemon/cli/option_values.hpp"
#include "daemon/cli/table.hpp"

namespace tbci::daemon {

namespace {

namespace search_selftest = bisect::selftest;

struct BisectionOptions {
  int days = 200;
  std::uint64_t seed = 1;
  unsigned jobs = 0;
  std::string only;  ///< only kinds of days whose description contains it
};

constexpr int most_days = 1'000'000;

std::string machine_of(const search_selftest::SimulatedMachine& machine) {
  std::string text = fmt::format("noise {:.0f}%", 100 * machine.noise);
  if (machine.burst_begins > 0)
    text += fmt::format(", busy neighbours ({:.0f}%, {:.0f} processes in a row)", 100 * (machine.burst_factor - 1),
                        machine.burst_processes);
  if (machine.slow_share > 0) text += fmt::format(", {:.0f}% slow processes", 100 * machine.slow_share);
  return text;
}

std::string days_of(const search_selftest::Scenario& scenario) {
  std::string text = scenario.name;
  if (scenario.regressions > 1) text = fmt::format("{} {}", scenario.regressions, text);
  if (scenario.builders > 1) text += fmt::format(", {} builders", scenario.builders);
  return fmt::format("{}; {}", text, machine_of(scenario.machine));
}

nlohmann::json spread_json(const search_selftest::Spread& spread) {
  return {{"mean", spread.mean}, {"most_of_95_percent", spread.most_of_95}, {"worst", spread.worst}};
}

nlohmann::json score_json(const search_selftest::Score& score) {
  return {{"days_of", days_of(score.scenario)},
          {"method", name_of(score.method)},
          {"days", score.days},
          {"exact", score.exact},
          {"wrong", score.wrong},
          {"builds", spread_json(score.builds)},
          {"runs", spread_json(score.processes)},
          {"runs_beside_parent", spread_json(score.check_processes)},
          {"rounds", spread_json(score.rounds)},
          {"intervals", score.intervals},
          {"intervals_that_hold", score.holding}};
}

std::string interval_coverage_text(const search_selftest::Score& score) {
  if (score.intervals == 0) return "";
  return fmt::format("{:.1f}% of {}", 100.0 * score.holding / score.intervals, score.intervals);
}

std::string spread_text(const search_selftest::Spread& spread) {
  return fmt::format("{:.2f} / {:.0f} / {:.0f}", spread.mean, spread.most_of_95, spread.worst);
}

void print_table(const std::vector<search_selftest::Score>& scores) {
  Table table({{"days of"},
               {"search"},
               {"exact", Align::right},
               {"wrong", Align::right},
               {"builds, mean / 95% / worst", Align::right},
               {"processes", Align::right},
               {"beside parent", Align::right},
               {"rounds", Align::right},
               {"interval holds", Align::right}});
  for (const search_selftest::Score& score : scores) {
    const double days = score.days;
    table.add({days_of(score.scenario), name_of(score.method), fmt::format("{:.2f}%", 100 * score.exact / days),
               fmt::format("{:.2f}%", 100 * score.wrong / days), spread_text(score.builds),
               fmt::format("{:.1f}", score.processes.mean), fmt::format("{:.1f}", score.check_processes.mean),
               fmt::format("{:.2f} / {:.0f}", score.rounds.mean, score.rounds.worst), interval_coverage_text(score)});
  }
  fmt::print("{}", table.text());
}

Result<ExitCode> selftest_bisection(const Invocation& invocation, const BisectionOptions& options,
                                    std::stop_token stop) {
  const unsigned jobs = options.jobs > 0 ? options.jobs : static_cast<unsigned>(allowed_cpus().size());
  std::vector<search_selftest::Scenario> scenarios = search_selftest::scenarios();
  std::erase_if(scenarios, [&](const auto& one) { return days_of(one).find(options.only) == std::string::npos; });
  if (scenarios.empty())
    return fail(ErrorKind::usage, "--only {}: no kind of days has this text in its description", options.only);
  const auto progress = make_progress(invocation);
  progress->begin_stage("selftest", fmt::format("{} days of each kind", options.days),
                        static_cast<int>(scenarios.size()));
  std::vector<search_selftest::Score> scores;
  for (const search_selftest::Scenario& scenario : scenarios) {
    progress->step(days_of(scenario));
    TBCI_ASSIGN(auto some, score(scenario, {.days = options.days, .seed = options.seed, .jobs = jobs}, stop));
    scores.insert(scores.end(), some.begin(), some.end());
  }
  progress->end_stage("done");
  if (invocation.json) {
    nlohmann::json json = {{"seed", options.seed}, {"scores", nlohmann::json::array()}};
    for (const search_selftest::Score& one : scores) json["scores"].push_back(score_json(one));
    print_json(json);
    return ExitCode::success;
  }
  fmt::print(
      "70 commits per day, seed {}. Builds: without the ends. Processes: with those of the ends, without those that\n"
      "compare a culprit with its parent, which are counted separately. Slow processes take 1.5 times as long.\n"
      "Interval holds: how often the 95% interval of a correctly named culprit contains its true change.\n\n",
      options.seed);
  print_table(scores);
  return ExitCode::success;
}

}  // namespace

void add_selftest_bisection(CLI::App& selftest, Invocation& invocation) {
  auto* command = selftest.add_subcommand(
      "bisection", "Simulate bisections, and compare them with git bisect, TorchBench and Pinpoint");
  command->footer(
      "Days of 70 commits with known culprits: with noise, slow processes, commits that do not build, and several\n"
      "culprits or none. The other searches are implemented from their published descriptions.\n\n"
      "  tbci selftest bisection --days 1000 --seed 7\n\nNeeds no configuration, and measures nothing.");
  auto options = std::make_shared<BisectionOptions>();
  command->add_option("--days", options->days, "Number of days of each kind")
      ->type_name("N")
      ->check(whole_number(1, most_days))
      ->capture_default_str();
  command->add_option("--only", options->only, "Simulate only kinds of days whose description contains this text")
      ->type_name("TEXT");
  command->add_option("--seed", options->seed, "Seed of the random numbers: the same seed gives the same days")
      ->type_name("N")
      ->check(whole_number(0))
      ->capture_default_str();
  command->add_option("--jobs", options->jobs, "Threads, each with a day at a time; 0: one for each CPU")
      ->type_name("N")
      ->check(whole_number(0, 4096))
      ->capture_default_str();
  command->callback([&invocation, options] {
    invocation.action = [&invocation, options](std::stop_token stop) {
      return selftest_bisection(invocation, *options, std::move(stop));
    };
  });
}

}  // namespace tbci::daemon
