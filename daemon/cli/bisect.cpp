#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/text.hpp"
#include "daemon/cli/application.hpp"
#include "daemon/cli/bisect_plan.hpp"
#include "daemon/cli/bisect_repository.hpp"
#include "daemon/cli/json.hpp"
#include "daemon/cli/selection.hpp"
#include "daemon/cli/show.hpp"
#include "daemon/cli/subject_session.hpp"
#include "pipeline/bisect/bisecting.hpp"
#include "pipeline/bisect/range_ends.hpp"
#include "pipeline/bisect/resume_key.hpp"
#include "pipeline/bisect/reverting.hpp"
#include "pipeline/measure/benchmark_list.hpp"
#include "pipeline/measure/building.hpp"
#include "pipeline/night/search_report.hpp"
#include "repo_bisect/bisect_log.hpp"

namespace tbci::daemon {

namespace {

struct BisectOptions {
  Selection selection;
  std::string from, to;
  std::vector<std::string> series, metrics;
  bool again = false, dry_run = false, resume = false, verify_revert = false;
  std::string report_file;
  RepositoryOptions repository;
};

struct Ends {
  std::string from, to;  // full hashes
};

// The key under which this search is kept. With --again one that no search has yet.
std::string key_of(const pipeline::SubjectContext& context, const BisectOptions& options, const Ends& ends) {
  const std::string key = pipeline::resume_key({.from = ends.from,
                                                .to = ends.to,
                                                .series = options.series,
                                                .metrics = options.metrics,
                                                .configurations = options.selection.configurations},
                                               context.config);
  return options.again ? key + "/" + to_iso8601(context.clock.now()) : key;
}

Result<std::vector<model::Series>> named_series(const BisectOptions& options) {
  std::vector<model::Series> series;
  for (const std::string& text : options.series) {
    TBCI_ASSIGN(model::Series one, model::series_from(text));
    series.push_back(std::move(one));
  }
  return series;
}

std::vector<std::string> names_of(const std::vector<model::Series>& series) {
  std::vector<std::string> names;
  for (const model::Series& one : series) names.push_back(one.benchmark);
  return names;
}

Status check_benchmarks(pipeline::SubjectContext& context, const std::vector<model::Series>& series, const Ends& ends) {
  TBCI_ASSIGN(const model::Build build, pipeline::built_end(context, ends.to));
  TBCI_ASSIGN(const auto suite, pipeline::listed_benchmarks(context, build.product));
  return pipeline::check_names(suite, names_of(series));
}

// Writes the search in the format of `git bisect log`, for the first series that has a culprit.
Status write_log(pipeline::SubjectContext& context, const std::string& file, const model::Bisection& bisection) {
  TBCI_ASSIGN(const auto commits, context.machine.commits_between(bisection.from, bisection.to, context.stop));
  TBCI_ASSIGN(auto probes, context.stores.bisections.probes(bisection.id));
  auto shown = std::find_if(bisection.answers.begin(), bisection.answers.end(),
                            [](const model::Answer& answer) { return !answer.suspects.empty(); });
  if (shown == bisection.answers.end()) shown = bisection.answers.begin();
  std::erase_if(probes, [&](const model::Probe& probe) { return probe.series != shown->series; });
  const auto lineage = context.config.bisect.every_commit ? bisect::Lineage::all : bisect::Lineage::first_parent;
  return write_file_atomically(file, repo_bisect::git_bisect_log(commits, probes, *shown, lineage));
}

// Writes the issue text of the search. Nothing is filed.
Status write_report(pipeline::SubjectContext& context, const std::string& file, const model::Bisection& bisection,
                    const std::vector<model::Finding>& findings) {
  TBCI_ASSIGN(const auto report, pipeline::draft_search_report(context, bisection, findings));
  if (!report) return {};
  return write_file_atomically(file, fmt::format("# {}\n\n{}", report->title, report->body));
}

// What is searched for: the series that were named, or what a comparison of the ends finds.
struct Wanted {
  std::vector<model::Series> series;
  std::vector<model::Finding> findings;  // of the comparison
};

Result<Wanted> wanted_series(pipeline::SubjectContext& context, const std::string& key, const Ends& ends,
                             const BisectOptions& options) {
  Wanted wanted;
  TBCI_ASSIGN(wanted.series, named_series(options));
  const bool named = !wanted.series.empty();
  TBCI_TRY(pipeline::check_names_early(context, named ? names_of(wanted.series) : context.config.measure.benchmarks));
  if (named) {
    TBCI_TRY(check_benchmarks(context, wanted.series, ends));
    return wanted;
  }
  pipeline::RangePlan plan{.key = key, .from = ends.from, .to = ends.to, .metrics = {}};
  for (const std::string& name : options.metrics) {
    TBCI_ASSIGN(const model::Metric metric, model::metric_from(name));
    plan.metrics.push_back(metric);
  }
  TBCI_ASSIGN(wanted.findings, pipeline::regressions_between(context, plan));
  for (const model::Finding& finding : wanted.findings) wanted.series.push_back(finding.series);
  return wanted;
}

ExitCode show_nothing(const Invocation& invocation, const BisectOptions& options, const Ends& ends) {
  model::Bisection nothing;
  nothing.from = ends.from;
  nothing.to = ends.to;
  if (invocation.json) {
    print_json(answers_json(nothing));
  } else {
    fmt::print("nothing is worse at {} than at {}: nothing to bisect\n", options.to, options.from);
  }
  for (const std::string& file : {options.report_file, options.repository.log_file}) {
    if (!file.empty()) fmt::print(stderr, "tbci did not write {}: there was no search\n", file);
  }
  return ExitCode::success;
}

void show_answers(const Invocation& invocation, const BisectOptions& options, const model::Bisection& bisection,
                  const std::vector<pipeline::RevertCheck>& reverts) {
  if (invocation.json) {
    nlohmann::json json = answers_json(bisection);
    if (options.verify_revert) json["reverts"] = reverts_json(reverts);
    print_json(json);
  } else {
    fmt::print("{}{}", lines_of(bisection), pipeline::lines_of(reverts));
  }
}

Result<ExitCode> bisect_ends(pipeline::SubjectContext& context, const Invocation& invocation,
                             const BisectOptions& options, const Ends& ends) {
  const std::string key = key_of(context, options, ends);
  // A commit may have failed to build because of a recipe that has been corrected since.
  if (options.again) TBCI_TRY(pipeline::forget_failed_commits(context));
  TBCI_ASSIGN(const Wanted wanted, wanted_series(context, key, ends, options));
  if (wanted.series.empty()) return show_nothing(invocation, options, ends);
  TBCI_ASSIGN(const model::Bisection bisection,
              pipeline::bisect_range(context, {.key = key, .from = ends.from, .to = ends.to, .series = wanted.series}));
  std::vector<pipeline::RevertCheck> reverts;
  if (options.verify_revert) {
    TBCI_ASSIGN(reverts, pipeline::verify_reverts(context, bisection));
  }
  show_answers(invocation, options, bisection, reverts);
  if (!options.repository.log_file.empty()) TBCI_TRY(write_log(context, options.repository.log_file, bisection));
  if (!options.report_file.empty()) TBCI_TRY(write_report(context, options.report_file, bisection, wanted.findings));
  const bool found = std::ranges::any_of(bisection.answers, [](const auto& a) { return !a.suspects.empty(); });
  return found || options.series.empty() ? ExitCode::negative : ExitCode::success;
}

// A comparison judges no secondary metric: it would find nothing, whatever changed.
Status check_metrics(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    TBCI_ASSIGN(const model::Metric metric, model::metric_from(name));
    if (!model::is_secondary(metric)) continue;
    return fail(
        ErrorKind::usage,
        "--metric {}: tbci shows it beside the time and never judges it, so a comparison finds nothing; search for it "
        "with --series BENCHMARK/CONFIGURATION/{}",
        name, name);
  }
  return {};
}

// What they would choose from is not compared.
Status check_series_alone(const BisectOptions& options) {
  const Selection& selection = options.selection;
  const bool chooses = !options.metrics.empty() || !selection.benchmarks.empty() || !selection.configurations.empty();
  if (options.series.empty() || !chooses) return {};
  return fail(ErrorKind::usage,
              "--series names what to search for: leave out --metric, --benchmarks and --configurations");
}

// The plan writes nothing and takes nothing back.
Status check_dry_run(const BisectOptions& options) {
  if (!options.dry_run) return {};
  for (const auto& [name, given] :
       {std::pair("--report", !options.report_file.empty()), std::pair("--log", !options.repository.log_file.empty()),
        std::pair("--verify-revert", options.verify_revert)}) {
    if (given) return fail(ErrorKind::usage, "{} has no effect with --dry-run: leave out one of the two", name);
  }
  return {};
}

Result<ExitCode> bisect(const Invocation& invocation, const BisectOptions& options, std::stop_token stop) {
  if (!options.repository.repository.empty()) {
    const RepositoryRequest request{.from = options.from,
                                    .to = options.to,
                                    .threshold = options.selection.threshold,
                                    .dry_run = options.dry_run,
                                    .again = options.again};
    return bisect_repository(invocation, options.repository, request, std::move(stop));
  }
  TBCI_TRY(check_series_alone(options));
  TBCI_TRY(check_metrics(options.metrics));
  TBCI_TRY(named_series(options));
  TBCI_TRY(check_dry_run(options));
  TBCI_ASSIGN(settings::Config config, load_config(invocation, options.selection));
  config.bisect.every_commit = options.repository.all;
  if (options.repository.jobs > 0) {
    for (settings::SubjectConfig& one : config.subjects) one.jobs = options.repository.jobs;
  }
  TBCI_ASSIGN(const auto session, open_session(invocation, std::move(config), options.selection.subject, stop));
  pipeline::SubjectContext& context = session->context();
  Ends ends;
  TBCI_ASSIGN(ends.from, context.machine.resolve(options.from, stop));
  TBCI_ASSIGN(ends.to, context.machine.resolve(options.to, stop));
  TBCI_TRY(context.machine.commits_between(ends.from, ends.to, stop));
  if (options.dry_run) return show_bisect_plan(context, invocation, ends.from, ends.to);
  return bisect_ends(context, invocation, options, ends);
}

}  // namespace

void add_bisect(CLI::App& app, Invocation& invocation) {
  auto* command =
      app.add_subcommand("bisect", "Find the commit between two revisions that made something slower or larger");
  command->footer(
      "Builds both ends, confirms what is worse, then builds as few commits between them as possible. Commits that do\n"
      "not build are skipped; if several commits cannot be told apart, all of them are named.\n"
      "After an interruption the same command continues. After the end it prints the same answers (--again: search "
      "again).\n\n"
      "  tbci bisect --from 2026-01-06 --to 2026-01-07\n"
      "  tbci bisect --from v1.2 --to main --series dlrm/cpu-infer/time --json\n"
      "  tbci bisect --from v1.2 --to main --repository . --build 'make -j2' --measure './bench --once'\n\n"
      "Exit code 0 if nothing is worse (with --series: if the ends do not differ), 1 otherwise.");
  auto options = std::make_shared<BisectOptions>();
  command->add_option("--from", options->from, "The good end: hash, tag, branch or nightly")
      ->required()
      ->type_name("REVISION");
  command->add_option("--to", options->to, "The bad end")->required()->type_name("REVISION");
  add_subject_option(*command, options->selection);
  add_case_options(*command, options->selection);
  add_threshold_option(*command, options->selection);
  command
      ->add_option("--metric", options->metrics,
                   "Search only for these: time, cpu_memory, gpu_memory, cpu_leak, gpu_leak, gpu_reserved, "
                   "outcome")
      ->type_name("NAME")
      ->delimiter(',');
  command->add_option("--series", options->series, "Search for these series, without comparing the whole suite first")
      ->type_name("B/C/M")
      ->delimiter(',');
  command->add_flag("--dry-run", options->dry_run, "Show the plan (commits, priors, builds, time), and do nothing");
  command->add_flag("--resume", options->resume, "No effect: an interrupted search always continues")
      ->group("");  // hidden; scripts may still pass it
  command->add_flag("--again", options->again,
                    "Search again, whatever was found before; commits that did not build are tried again");
  command->add_flag("--verify-revert", options->verify_revert,
                    "Rebuild the bad end with each culprit reverted, and compare");
  command->add_option("--report", options->report_file, "Also write the issue text to this file")->type_name("FILE");
  add_history_options(*command, options->repository);
  add_repository_options(*command, options->repository);
  command->callback([&invocation, options] {
    invocation.action = [&invocation, options](std::stop_token stop) {
      return bisect(invocation, *options, std::move(stop));
    };
  });
}

}  // namespace tbci::daemon
