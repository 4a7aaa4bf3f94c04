#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "daemon/cli/application.hpp"
#include "daemon/cli/backend_table.hpp"
#include "daemon/cli/compare_runners.hpp"
#include "daemon/cli/evidence_table.hpp"
#include "daemon/cli/json.hpp"
#include "daemon/cli/operator_table.hpp"
#include "daemon/cli/selection.hpp"
#include "daemon/cli/show.hpp"
#include "daemon/cli/step_table.hpp"
#include "daemon/cli/subject_session.hpp"
#include "pipeline/measure/backend_comparison.hpp"
#include "pipeline/measure/benchmark_list.hpp"
#include "pipeline/measure/building.hpp"
#include "pipeline/measure/comparing.hpp"
#include "pipeline/measure/profiling.hpp"
#include "pipeline/measure/recorded_comparison.hpp"
#include "storage/model/run_keys.hpp"
#include "web/queries/json.hpp"

namespace tbci::daemon {

namespace {

struct CompareOptions {
  Selection selection;
  std::string before, after;
  std::string build;                  ///< one alone, by several backends or on several runners
  std::vector<std::string> backends;  ///< of that build
  std::vector<std::string> runners;   ///< that measured that build
  bool operators = false;
  bool explain = false;
};

// Where one build is named. Errors (usage) where something else is as well, or too little.
Status check_one_build(const CompareOptions& options) {
  if (!options.before.empty())
    return fail(ErrorKind::usage, "--build compares the backends or runners of one build: leave out '{}', or --build",
                one_line(options.before, 60));
  if (options.operators) return fail(ErrorKind::usage, "--operators compares two builds: leave it out");
  if (options.explain) return fail(ErrorKind::usage, "--explain compares two builds: leave it out");
  if (options.selection.threshold > 0)
    return fail(ErrorKind::usage, "--threshold judges a change between two builds: leave it out");
  if (!options.backends.empty() && !options.runners.empty())
    return fail(ErrorKind::usage, "--backends measures and --runners compares what is stored: leave out one of them");
  if (!options.runners.empty()) {
    // They change what is measured, and nothing is.
    if (!options.selection.precision.empty() || options.selection.processes > 0)
      return fail(ErrorKind::usage, "--runners compares what is stored: leave out --precision and --processes");
    return {};
  }
  if (!options.selection.backends.empty()) return fail(ErrorKind::usage, "--build takes --backends, not --backend");
  if (options.backends.empty())
    return fail(ErrorKind::usage,
                "--build needs --backends, as in --backends jit,jit-frozen, or --runners, as in --runners R1,R2");
  return {};
}

// Which of its forms was asked for. Errors (usage) where it is none.
Status check_form(const CompareOptions& options) {
  if (!options.build.empty()) return check_one_build(options);
  if (!options.backends.empty())
    return fail(ErrorKind::usage,
                "--backends needs --build NAME; to compare two builds by one backend write --backend");
  if (!options.runners.empty()) return fail(ErrorKind::usage, "--runners needs --build NAME");
  if (options.before.empty() || options.after.empty())
    return fail(ErrorKind::usage,
                "name two builds, or one with --build and --backends or --runners (see tbci compare --help)");
  return {};
}

// Those beside eager, each once.
Result<std::vector<model::Backend>> backends_of(const CompareOptions& options) {
  std::vector<model::Backend> backends;
  for (const std::string& text : options.backends) {
    TBCI_ASSIGN(const model::Backend backend, model::backend_from(text));
    const bool fresh = std::ranges::find(backends, backend) == backends.end();
    if (fresh && backend != model::Backend::eager) backends.push_back(backend);
  }
  if (backends.empty()) return fail(ErrorKind::usage, "--backends names eager alone: name what to compare with it");
  return backends;
}

Result<ExitCode> compare_backends(const Invocation& invocation, const CompareOptions& options, std::stop_token stop) {
  TBCI_ASSIGN(const auto backends, backends_of(options));
  Selection selection = options.selection;
  selection.backends = {"eager"};
  TBCI_ASSIGN(const auto session, open_session(invocation, selection, std::move(stop)));
  pipeline::SubjectContext& context = session->context();
  TBCI_ASSIGN(const model::Build build, pipeline::build_named(context, options.build));
  TBCI_ASSIGN(const auto compared, pipeline::compare_backends(context, build, backends));
  if (invocation.json) {
    print_json(json_of(options.build, compared));
  } else {
    fmt::print("{}", text_of(compared));
  }
  return ExitCode::success;
}

// What models counted of themselves in the screen, which ran all cases.
Result<std::vector<EvidenceOfCase>> evidence_of_screen(const pipeline::SubjectContext& context,
                                                       const pipeline::ComparisonPlan& plan) {
  std::map<model::Case, EvidenceOfCase> of_cases;
  TBCI_ASSIGN(const auto runs, context.stores.runs.runs_of_key(context.name(), model::run_keys::screen(plan.key)));
  for (const model::Run& run : runs) {
    TBCI_ASSIGN(const auto placed, context.stores.runs.measurements(run.id));
    for (const model::PlacedMeasurement& each : placed) {
      if (each.measurement.evidence.empty()) continue;
      EvidenceOfCase& of_case = of_cases[each.measurement.measured];
      of_case.measured = each.measurement.measured;
      const bool old_build = each.place.build_id == plan.builds.before.id;
      (old_build ? of_case.before : of_case.after).push_back(each.measurement);
    }
  }
  std::vector<EvidenceOfCase> evidence;
  for (auto& [measured, of_case] : of_cases) evidence.push_back(std::move(of_case));
  return evidence;
}

nlohmann::json answer_json(const CompareOptions& options, const std::vector<model::Finding>& findings,
                           const std::vector<EvidenceOfCase>& evidence, const pipeline::ProfiledCases& operators,
                           const pipeline::ExplainedCases& explained) {
  nlohmann::json json = {{"before", options.before}, {"after", options.after}, {"findings", nlohmann::json::array()}};
  for (const model::Finding& finding : findings) json["findings"].push_back(web::queries::json_of(finding));
  for (const EvidenceOfCase& each : evidence) json["evidence"].push_back(evidence_json(each));
  if (options.operators) json["operators"] = nlohmann::json::array();
  for (const model::OperatorComparison& compared : operators.compared) json["operators"].push_back(json_of(compared));
  if (options.explain) json["steps"] = nlohmann::json::array();
  for (const model::StepSplit& step : explained.steps) json["steps"].push_back(json_of(step));
  return json;
}

void print_reasons(const pipeline::ProfiledCases& operators, const pipeline::ExplainedCases& explained) {
  for (const auto& [measured, reason] : operators.unprofiled)
    fmt::print(stderr, "tbci: {} cannot be profiled: {}\n", to_string(measured), reason);
  for (const auto& [measured, reason] : explained.missing)
    fmt::print(stderr, "tbci: {} cannot be explained: {}\n", to_string(measured), reason);
}

void print_text(const CompareOptions& options, const std::vector<model::Finding>& findings,
                const std::vector<EvidenceOfCase>& evidence, const pipeline::ProfiledCases& operators,
                const pipeline::ExplainedCases& explained) {
  fmt::print("{}{}", table_of(findings, true), evidence_of_builds(evidence));
  for (const model::OperatorComparison& compared : operators.compared) fmt::print("{}", text_of(compared));
  for (const model::StepSplit& step : explained.steps) fmt::print("{}", text_of(step));
  if (options.explain && explained.steps.empty() && explained.missing.empty())
    fmt::print("\nno time changed: there is nothing to explain\n");
}

Result<ExitCode> compare(const Invocation& invocation, const CompareOptions& options, std::stop_token stop) {
  TBCI_TRY(check_form(options));
  if (!options.runners.empty()) return compare_runners(invocation, {options.selection, options.build, options.runners});
  if (!options.build.empty()) return compare_backends(invocation, options, std::move(stop));
  if (options.before == options.after)
    return fail(ErrorKind::usage, "both builds are {}: name two different ones", options.before);
  TBCI_ASSIGN(const auto session, open_session(invocation, options.selection, std::move(stop)));
  pipeline::SubjectContext& context = session->context();
  pipeline::ComparisonPlan plan{.key = model::run_keys::comparison(context.clock.now()),
                                .builds = {},
                                .cases = {},
                                .purpose = model::Purpose::manual};
  TBCI_ASSIGN(plan.builds.before, pipeline::build_named(context, options.before));
  TBCI_ASSIGN(plan.builds.after, pipeline::build_named(context, options.after));
  if (plan.builds.before.id == plan.builds.after.id)
    return fail(ErrorKind::usage, "{} and {} are the same build: name two different ones", options.before,
                options.after);
  TBCI_ASSIGN(plan.cases, pipeline::wanted_cases(context, plan.builds.after.product));
  TBCI_ASSIGN(const auto findings, pipeline::compare_builds(context, plan));
  TBCI_ASSIGN(const auto evidence, evidence_of_screen(context, plan));
  pipeline::ProfiledCases operators;
  if (options.operators) {
    TBCI_ASSIGN(operators, pipeline::compare_operators_of(context, plan.builds, findings));
  }
  pipeline::ExplainedCases explained;
  if (options.explain) {
    TBCI_ASSIGN(explained, pipeline::explain_steps(context, plan.builds, findings));
  }
  print_reasons(operators, explained);
  if (invocation.json) {
    print_json(answer_json(options, findings, evidence, operators, explained));
  } else {
    print_text(options, findings, evidence, operators, explained);
  }
  const bool worse = std::any_of(findings.begin(), findings.end(),
                                 [](const auto& f) { return f.verdict == model::Verdict::regression; });
  return worse ? ExitCode::negative : ExitCode::success;
}

}  // namespace

void add_compare(CLI::App& app, Invocation& invocation) {
  auto* command = app.add_subcommand("compare", "Compare two builds, by interleaved processes");
  command->footer(
      "Each build is a nightly's name or a revision of the subject's repository. What the screen suspects is "
      "confirmed\n"
      "by fresh pairs (old, new, old, new ...), as on a night.\n\n"
      "  tbci compare 2026-01-06 2026-01-07\n"
      "  tbci compare main~5 main --benchmarks dlrm --threshold 0.05\n"
      "  tbci compare main~1 main --benchmarks dlrm --operators\n"
      "  tbci compare main~1 main --benchmarks dlrm --explain\n\n"
      "With --build and --backends it compares the backends of one build, by processes in turn:\n\n"
      "  tbci compare --build 2026-01-07 --backends eager,jit-frozen,channels-last --configurations cpu-infer\n\n"
      "With --build and --runners it compares what runners measured of that build, and measures nothing:\n\n"
      "  tbci compare --build 2026-01-07 --runners bench-1,bench-2\n\n"
      "Exit code 1 if there is a regression.");
  auto options = std::make_shared<CompareOptions>();
  command->add_option("before", options->before, "The old build")->type_name("NAME");
  command->add_option("after", options->after, "The new build")->type_name("NAME");
  command->add_option("--build", options->build, "One build, whose backends or runners are compared")
      ->type_name("NAME");
  command->add_option("--backends", options->backends, "Those backends, each beside eager")
      ->type_name("NAME")
      ->delimiter(',');
  command->add_option("--runners", options->runners, "Runners that measured that build, each beside the first")
      ->type_name("NAME")
      ->delimiter(',');
  add_subject_option(*command, options->selection);
  add_case_options(*command, options->selection);
  add_threshold_option(*command, options->selection);
  command->add_flag("--operators", options->operators,
                    "Also profile both builds, and show the operators whose own time changed");
  command->add_flag("--explain", options->explain,
                    "Also record both builds, and split what changed into kernels, overheads, page faults, memory\n"
                    "tier, communication and waiting");
  command->callback([&invocation, options] {
    invocation.action = [&invocation, options](std::stop_token stop) {
      return compare(invocation, *options, std::move(stop));
    };
  });
}

}  // namespace tbci::daemon
