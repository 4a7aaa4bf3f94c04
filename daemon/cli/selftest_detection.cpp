#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/process.hpp"
#include "base/text.hpp"
#include "daemon/cli/application.hpp"
#include "daemon/cli/json.hpp"
#include "daemon/cli/option_values.hpp"
#include "daemon/cli/replay_source.hpp"
#include "daemon/cli/selftest_plan.hpp"
#include "daemon/cli/selftest_report.hpp"
#include "daemon/state_dir.hpp"

namespace tbci::daemon {

namespace {

// Read-only, so that it works while the service runs.
Result<RecordedTimes> recorded_in(const settings::Config& config) {
  std::vector<std::string> subjects;
  for (const settings::SubjectConfig& subject : config.subjects) subjects.push_back(subject.name);
  TBCI_ASSIGN(storage::Database database, storage::Database::open(database_path(config), storage::Access::read_only));
  const storage::RunStore runs(database);
  TBCI_ASSIGN(RecordedTimes recorded, recorded_times(runs, subjects));
  if (recorded.series.empty()) {
    return fail(ErrorKind::failed,
                "{} has no case with {} processes of one build in one run ({} runs were read): record some with "
                "tbci run --build NAME --processes 40",
                database_path(config).string(), detect::selftest::least_recorded, recorded.runs);
  }
  return recorded;
}

Result<std::vector<SelftestRow>> run_all(const std::vector<PlannedCampaign>& plan, int jobs, Progress& progress,
                                         const std::stop_token& stop) {
  // A part is a thousandth of all series, because the campaigns differ in size.
  constexpr std::int64_t parts = 1000;
  std::int64_t all = 0, done = 0, shown = 0;
  for (const PlannedCampaign& one : plan) all += one.campaign.series;
  progress.begin_stage("selftest", fmt::format("{} campaigns on {} threads", plan.size(), jobs), parts);
  std::vector<SelftestRow> rows;
  for (const PlannedCampaign& one : plan) {
    const std::string what = fmt::format("{}, {}, {}", one.noise, one.campaign.method.name, one.campaign.scenario.name);
    const auto show = [&](std::int64_t of_this) {
      for (; shown < (done + of_this) * parts / all; ++shown) progress.step(what);
    };
    TBCI_ASSIGN(auto tally, detect::selftest::run(one.campaign, jobs, show, stop));
    done += one.campaign.series;
    rows.push_back({.noise = one.noise,
                    .rule = one.campaign.method.name,
                    .scenario = one.campaign.scenario,
                    .tally = std::move(tally)});
  }
  progress.end_stage(fmt::format("{} series", done));
  return rows;
}

void print_text(const SelftestOptions& options, const RecordedTimes& recorded, const std::vector<SelftestRow>& rows) {
  fmt::print("Seed {}.", options.seed);
  if (options.from_database) {
    fmt::print(" Recorded: {} series from {} runs; {} more have too few processes.\n", recorded.series.size(),
               recorded.runs, recorded.too_short);
  } else {
    fmt::print("\n");
    for (const std::string& line : noise_descriptions()) fmt::print("  {}\n", line);
  }
  fmt::print("\n{}", selftest_text(rows));
}

Result<ExitCode> selftest_detection(const Invocation& invocation, SelftestOptions options,
                                    const std::stop_token& stop) {
  detect::Thresholds thresholds;
  RecordedTimes recorded;
  if (options.from_database || has_config(invocation)) {
    TBCI_ASSIGN(const settings::Config config, load_config(invocation));
    thresholds = config.thresholds.base;
    if (options.from_database) {
      TBCI_ASSIGN(recorded, recorded_in(config));
    }
  }
  if (options.jobs == 0) options.jobs = static_cast<int>(allowed_cpus().size());
  TBCI_ASSIGN(const auto plan, plan_selftest(options, thresholds, recorded.series));
  const auto progress = make_progress(invocation);
  TBCI_ASSIGN(const auto rows, run_all(plan, options.jobs, *progress, stop));
  if (invocation.json) {
    nlohmann::json json = {{"seed", options.seed}, {"jobs", options.jobs}, {"rows", selftest_json(rows)}};
    for (const auto& method : selftest_methods(options, thresholds)) json["rules"][method.name] = method.source;
    if (options.from_database) json["recorded"] = {{"series", recorded.series.size()}, {"runs", recorded.runs}};
    if (!options.from_database) json["noise"] = noise_descriptions();
    print_json(json);
  } else {
    print_text(options, recorded, rows);
  }
  return our_false_alarms(rows) > 0 ? ExitCode::negative : ExitCode::success;
}

}  // namespace

void add_selftest_detection(CLI::App& selftest, Invocation& invocation) {
  auto* command =
      selftest.add_subcommand("detection", "Simulate nights: false alarms, power and cost of the nightly judgement");
  command->footer(
      "Simulated nights go through the functions that judge real ones, and through the rules of other systems. The\n"
      "results depend only on the seed, not on the number of threads. With a configuration, its [thresholds] apply.\n\n"
      "  tbci selftest detection\n"
      "  tbci selftest detection --rules ours,torchbench --nights 100000 --series 2000\n"
      "  tbci selftest detection --from-database       # A/A replay of what this machine recorded\n\n"
      "Exit code 1 if our judgement filed a regression of an unchanged series.");
  auto options = std::make_shared<SelftestOptions>();
  command->add_option("--nights", options->nights, "Number of nights of unchanged series (other rules: at most 200000)")
      ->type_name("N")
      ->check(whole_number(1, 1'000'000'000))
      ->capture_default_str();
  command->add_option("--series", options->series, "Number of series with each change (other rules: at most 2000)")
      ->type_name("N")
      ->check(whole_number(1, 100'000'000))
      ->capture_default_str();
  command->add_option("--seed", options->seed, "Seed of the random numbers: another seed, other noise")
      ->type_name("N")
      ->check(whole_number(0))
      ->capture_default_str();
  command->add_option("--jobs", options->jobs, "Threads (default: one for each usable CPU)")
      ->type_name("N")
      ->check(whole_number(1, 1024));
  command
      ->add_option("--anchor-every", options->anchor_every,
                   "Nights between two measurements of a case against the anchor")
      ->type_name("N")
      ->check(whole_number(1, 100))
      ->capture_default_str();
  command->add_option("--rules", options->rules, "Simulate only these rules (default: all)")
      ->type_name("NAME")
      ->delimiter(',');
  command->add_flag("--from-database", options->from_database,
                    "Replay the recorded times of the database instead of simulated noise");
  command->callback([&invocation, options] {
    invocation.action = [&invocation, options](const std::stop_token& stop) {
      return selftest_detection(invocation, *options, stop);
    };
  });
}

}  // namespace tbci::daemon
