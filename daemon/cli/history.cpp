#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "daemon/cli/application.hpp"
#include "daemon/cli/history_plot.hpp"
#include "daemon/cli/json.hpp"
#include "daemon/cli/option_values.hpp"
#include "daemon/cli/selection.hpp"
#include "daemon/cli/terminal_progress.hpp"
#include "daemon/state_dir.hpp"
#include "web/queries/history.hpp"
#include "web/queries/json.hpp"

namespace tbci::daemon {

namespace {

struct HistoryOptions {
  Selection selection;  // its subject
  std::string benchmark, configuration, metric = "time", runner;
  detect::ChangePointOptions change_points;
  int nights = 365;
  bool table = false;
};

/// The configurations of the benchmark that were measured, or only the requested one.
Result<std::vector<model::Configuration>> configurations_of(const HistoryOptions& options, const std::string& subject,
                                                            const std::vector<model::Case>& cases) {
  std::vector<std::string> benchmarks;
  std::vector<model::Configuration> measured;
  for (const model::Case& one : cases) {
    if (benchmarks.empty() || benchmarks.back() != one.benchmark) benchmarks.push_back(one.benchmark);
    if (one.benchmark == options.benchmark) measured.push_back(one.configuration);
  }
  if (measured.empty()) {
    const std::string name = one_line(options.benchmark, 80);
    if (benchmarks.empty()) return fail(ErrorKind::usage, "no measurements of {} yet: run tbci check", subject);
    return fail(ErrorKind::usage, "no measurements of benchmark '{}' of {}{}; measured: {}", name, subject,
                did_you_mean(name, benchmarks), one_line(join(benchmarks, ", "), 400));
  }
  if (options.configuration.empty()) return measured;
  TBCI_ASSIGN(const model::Configuration wanted, model::configuration_from(options.configuration));
  if (std::ranges::find(measured, wanted) != measured.end()) return std::vector{wanted};
  std::vector<std::string> names;
  for (const model::Configuration one : measured) names.emplace_back(to_string(one));
  return fail(ErrorKind::usage, "{} has no values in {}; choose --configuration {}", options.benchmark,
              to_string(wanted), join(names, " or "));
}

void show(const web::queries::HistoryView& view, bool table) {
  const std::string series = to_string(view.series);
  if (view.nights.empty()) {
    fmt::print("{}: no values{}\n", series,
               view.other_runners.empty() ? "" : " on " + view.runner + ", but on " + join(view.other_runners, ", "));
    return;
  }
  fmt::print("{} of {} on {}: {} nights{}\n\n", series, view.subject, view.runner, view.nights.size(),
             view.earlier > 0 ? fmt::format(", and {} older ones (--nights)", view.earlier) : "");
  fmt::print("{}", plot_of(view, {.columns = std::clamp<std::size_t>(columns_of(stdout), 60, 200), .rows = 12}));
  const std::string marks = marks_table(view);
  fmt::print("\n{}", marks.empty() ? "no change points\n" : marks);
  if (table) fmt::print("\n{}", nights_table(view));
  if (!view.other_runners.empty()) fmt::print("\nalso measured on {} (--runner)\n", join(view.other_runners, ", "));
}

Result<ExitCode> history(const Invocation& invocation, const HistoryOptions& options) {
  TBCI_ASSIGN(const settings::Config config, load_config(invocation));
  TBCI_ASSIGN(const settings::SubjectConfig* subject, config.subject(options.selection.subject));
  const std::string& name = subject->name;
  TBCI_ASSIGN(const model::Metric metric, model::metric_from(options.metric));
  if (metric == model::Metric::outcome) {
    return fail(ErrorKind::usage,
                "--metric outcome: whether processes fail is not a number that has a level; `tbci regressions` and "
                "`tbci report` list the breaks");
  }
  // Read-only, so that it works while the service runs.
  TBCI_ASSIGN(storage::Database database, storage::Database::open(database_path(config), storage::Access::read_only));
  TBCI_ASSIGN(const auto cases, web::queries::measured_cases(database, name));
  TBCI_ASSIGN(const auto configurations, configurations_of(options, name, cases));
  nlohmann::json json = {{"subject", name}, {"histories", nlohmann::json::array()}};
  bool first = true;
  for (const model::Configuration configuration : configurations) {
    const web::queries::HistoryChoice choice{
        name, {options.benchmark, configuration, metric}, options.runner, options.nights};
    TBCI_ASSIGN(const auto view, web::queries::history_view(database, choice, options.change_points));
    if (invocation.json) {
      json["histories"].push_back(web::queries::json_of(view));
      continue;
    }
    if (!first) fmt::print("\n");
    first = false;
    show(view, options.table);
  }
  if (invocation.json) print_json(json);
  return ExitCode::success;
}

}  // namespace

void add_history(CLI::App& app, Invocation& invocation) {
  auto* command = app.add_subcommand("history", "A series over the nights with its change points, in the terminal");
  command->footer(
      "Draws what each nightly gave, the levels between change points, and below them the nights at which the level\n"
      "changed (^), a regression was confirmed (R) or the machine changed (M). Change points are those of the whole\n"
      "history, whatever their size; they are not verdicts.\n\n"
      "  tbci history dlrm\n"
      "  tbci history dlrm --configuration cpu-train --metric cpu_memory --nights 90\n"
      "  tbci history dlrm --least-change 0.02 --json\n\n"
      "Reads the database beside a running service.");
  auto options = std::make_shared<HistoryOptions>();
  command->add_option("benchmark", options->benchmark, "Which benchmark")->required()->type_name("BENCHMARK");
  add_subject_option(*command, options->selection);
  command
      ->add_option("--configuration", options->configuration,
                   "cpu-train, cpu-infer, gpu-train or gpu-infer (default: each that was measured)")
      ->type_name("NAME");
  command
      ->add_option("--metric", options->metric,
                   "time, cpu_memory, gpu_memory, cpu_leak, gpu_leak, gpu_reserved or instructions (default: time)")
      ->type_name("NAME");
  command
      ->add_option("--runner", options->runner, "Show the series of this machine (default: the one that measured last)")
      ->type_name("NAME");
  command->add_option("--nights", options->nights, "Show the newest N nights (default: 365)")
      ->type_name("N")
      ->check(whole_number(1, web::queries::most_history_nights));
  command->add_flag("--table", options->table, "Show each night's numbers as well");
  add_change_point_options(*command, options->change_points);
  command->callback([&invocation, options] {
    invocation.action = [&invocation, options](const std::stop_token&) { return history(invocation, *options); };
  });
}

}  // namespace tbci::daemon
