#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "daemon/cli/application.hpp"
#include "daemon/cli/json.hpp"
#include "daemon/cli/predict_batch.hpp"
#include "daemon/cli/selection.hpp"
#include "daemon/cli/subject_session.hpp"
#include "daemon/cli/what_if_table.hpp"
#include "pipeline/measure/benchmark_list.hpp"
#include "pipeline/measure/building.hpp"
#include "pipeline/measure/characterising.hpp"
#include "pipeline/measure/measuring.hpp"

namespace tbci::daemon {

namespace {

struct PredictOptions {
  Selection selection;
  std::string build;
  std::vector<std::string> what_if;
  std::string benchmark;  // of which another batch is predicted
  pipeline::PredictionPlan plan;
  bool any_of_plan = false;
};

// Either a benchmark or a change of operators.
Status check_question(const PredictOptions& options) {
  if (options.benchmark.empty() && options.what_if.empty())
    return fail(ErrorKind::usage,
                "what should be predicted? Name a benchmark, for its time with another batch, or --what-if "
                "OPERATOR=CHANGE");
  if (!options.benchmark.empty() && !options.what_if.empty())
    return fail(ErrorKind::usage,
                "--what-if takes the recorded batch of all cases: write --benchmarks {} instead of {}",
                one_line(options.benchmark, 60), one_line(options.benchmark, 60));
  if (!options.benchmark.empty() && !options.selection.benchmarks.empty())
    return fail(ErrorKind::usage, "{} is the benchmark, so leave --benchmarks out", one_line(options.benchmark, 60));
  if (options.benchmark.empty() && options.any_of_plan)
    return fail(ErrorKind::usage, "--batch, --calibrate and --rounds need the name of a benchmark before them");
  std::vector<int> batches = options.plan.calibrate;
  std::ranges::sort(batches);
  const auto twice = std::ranges::adjacent_find(batches);
  if (twice != batches.end()) return fail(ErrorKind::usage, "--calibrate has {} twice", *twice);
  if (batches.size() == 1) return fail(ErrorKind::usage, "--calibrate takes two batches at least");
  return {};
}

Result<std::vector<detect::SupposedChange>> supposed_changes(const PredictOptions& options) {
  std::vector<detect::SupposedChange> changes;
  for (const std::string& text : options.what_if) {
    TBCI_ASSIGN(changes.emplace_back(), detect::supposed_change_from(text));
  }
  return changes;
}

// A name that nothing has is a typo.
Status check_supposed_names(const std::vector<detect::SupposedChange>& changes,
                            const detect::RecordedParts& recordings) {
  const auto calls = [&](const detect::SupposedChange& change) {
    return std::ranges::any_of(recordings, [&](const detect::IterationParts& parts) {
      return detect::supposed_time(parts, {&change, 1}).calls > 0;
    });
  };
  for (const detect::SupposedChange& change : changes) {
    if (calls(change)) continue;
    return fail(ErrorKind::usage, "no recorded case calls {}{}", one_line(change.name, 80),
                did_you_mean(change.name, detect::operator_names(recordings)));
  }
  return {};
}

struct Supposed {
  std::vector<SupposedCase> cases;
  std::map<model::Case, std::string> missing;
};

Result<Supposed> suppose(pipeline::SubjectContext& context, const PredictOptions& options,
                         const std::vector<detect::SupposedChange>& changes) {
  TBCI_ASSIGN(const model::Build build, pipeline::build_named(context, options.build));
  TBCI_ASSIGN(const auto cases, pipeline::wanted_cases(context, build.product));
  TBCI_ASSIGN(auto characters, pipeline::characterise_all(context, build, cases));
  Supposed supposed{.cases = {}, .missing = std::move(characters.missing)};
  detect::RecordedParts recordings;
  for (const pipeline::Character& each : characters.of_cases) {
    if (!each.parts) {
      supposed.missing[each.measured] = "the time of a GPU is not taken apart";
      continue;
    }
    recordings.push_back(*each.parts);
    supposed.cases.push_back({each.measured, detect::supposed_time(*each.parts, changes)});
  }
  if (!recordings.empty()) TBCI_TRY(check_supposed_names(changes, recordings));
  return supposed;
}

Result<ExitCode> predict(const Invocation& invocation, const PredictOptions& options, std::stop_token stop) {
  TBCI_TRY(check_question(options));
  if (!options.benchmark.empty()) {
    Selection selection = options.selection;
    selection.benchmarks = {options.benchmark};
    return predict_batch(invocation, selection, options.build, options.plan, std::move(stop));
  }
  TBCI_ASSIGN(const auto changes, supposed_changes(options));
  TBCI_ASSIGN(const auto session, open_session(invocation, options.selection, std::move(stop)));
  TBCI_ASSIGN(const Supposed supposed, suppose(session->context(), options, changes));
  for (const auto& [measured, why] : supposed.missing)
    fmt::print(stderr, "tbci: {} has no prediction: {}\n", to_string(measured), why);
  if (invocation.json) {
    nlohmann::json list = nlohmann::json::array();
    for (const SupposedCase& each : supposed.cases) list.push_back(json_of(each));
    print_json({{"build", options.build}, {"cases", std::move(list)}});
  } else {
    fmt::print("{}", supposed_text(supposed.cases, changes));
  }
  return supposed.cases.empty() ? ExitCode::negative : ExitCode::success;
}

}  // namespace

void add_predict(CLI::App& app, Invocation& invocation) {
  auto* command = app.add_subcommand(
      "predict", "Show what a case would take with another batch, or if an operator were slower or faster");
  command->footer(
      "BENCHMARK: its time with a batch that is not run, from recordings and runs with --calibrate (default: a\n"
      "quarter, a half, once and twice its own batch): active and idle apart, kernels by family, overheads by type.\n"
      "--what-if OPERATOR=1.2: the kernels take 1.2 times as long; page faults and waiting stay. OPERATOR=+500ns:\n"
      "each call costs 500 ns more (ns, us, ms; -2us is less). A name without an overload means all of them.\n"
      "On CPUs. Nothing is kept.\n\n"
      "  tbci predict dlrm --build 2026-01-07 --batch 384\n"
      "  tbci predict --build 2026-01-07 --what-if aten.addmm=1.2\n"
      "  tbci predict --build main --what-if aten.add=+500ns --what-if aten.mul=+500ns --configurations cpu-train");
  auto options = std::make_shared<PredictOptions>();
  command->add_option("benchmark", options->benchmark, "Whose time with another batch is predicted")
      ->type_name("BENCHMARK");
  add_subject_option(*command, options->selection);
  command->add_option("--build", options->build, "Nightly or revision")->required()->type_name("NAME");
  const std::vector<CLI::Option*> of_plan = {
      command->add_option("--batch", options->plan.batch, "Predict this batch (default: the benchmark's own)")
          ->check(CLI::Range(1, 1000000))
          ->type_name("N"),
      command->add_option("--calibrate", options->plan.calibrate, "Record and run these batches, with commas")
          ->delimiter(',')
          ->check(CLI::Range(1, 1000000))
          ->type_name("N,N,..."),
      command->add_option("--rounds", options->plan.processes, "Processes of each batch that record, and that run")
          ->check(CLI::Range(1, 100))
          ->capture_default_str()};
  command->add_option("--what-if", options->what_if, "Suppose this change; repeatable")
      ->allow_extra_args(false)
      ->type_name("OPERATOR=CHANGE");
  add_benchmark_options(*command, options->selection);
  command->callback([&invocation, options, of_plan] {
    options->any_of_plan = std::ranges::any_of(of_plan, [](const CLI::Option* each) { return each->count() > 0; });
    invocation.action = [&invocation, options](std::stop_token stop) {
      return predict(invocation, *options, std::move(stop));
    };
  });
}

}  // namespace tbci::daemon
