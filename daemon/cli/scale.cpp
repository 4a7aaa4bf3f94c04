#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "daemon/cli/application.hpp"
#include "daemon/cli/json.hpp"
#include "daemon/cli/scale_table.hpp"
#include "daemon/cli/selection.hpp"
#include "daemon/cli/subject_session.hpp"
#include "pipeline/measure/benchmark_list.hpp"
#include "pipeline/measure/building.hpp"
#include "pipeline/measure/measuring.hpp"

namespace tbci::daemon {

namespace {

struct ScaleOptions {
  Selection selection;
  std::string build, against;
  std::string over = "batch";
  pipeline::ScalePlan plan;
};

Status check(const ScaleOptions& options) {
  std::vector<int> batches = options.plan.batches;
  std::ranges::sort(batches);
  const auto twice = std::ranges::adjacent_find(batches);
  if (twice != batches.end()) return fail(ErrorKind::usage, "--batches has {} twice", *twice);
  if (batches.size() < detect::least_scale_points)
    return fail(ErrorKind::usage, "a law takes {} batches at least, --batches has {}", detect::least_scale_points,
                batches.size());
  return {};
}

Result<ExitCode> run_scale(const Invocation& invocation, const ScaleOptions& options, std::stop_token stop) {
  TBCI_TRY(check(options));
  TBCI_ASSIGN(const auto session, open_session(invocation, options.selection, std::move(stop)));
  pipeline::SubjectContext& context = session->context();
  std::vector<model::Build> builds;
  if (!options.against.empty()) {
    TBCI_ASSIGN(model::Build older, pipeline::build_named(context, options.against));
    builds.push_back(std::move(older));
  }
  TBCI_ASSIGN(model::Build build, pipeline::build_named(context, options.build));
  builds.push_back(std::move(build));
  TBCI_ASSIGN(const auto cases, pipeline::wanted_cases(context, builds.back().product));
  nlohmann::json list = nlohmann::json::array();
  bool all_laws = !cases.empty();
  for (const model::Case& measured : cases) {
    TBCI_ASSIGN(const auto scaled, pipeline::scale(context, builds, measured, options.plan));
    all_laws = all_laws && std::ranges::all_of(scaled.builds, [](const auto& one) { return one.law.has_value(); });
    if (invocation.json) {
      list.push_back(json_of(scaled));
    } else {
      fmt::print("{}\n", scale_text(scaled));
    }
  }
  if (invocation.json) print_json({{"cases", std::move(list)}});
  return all_laws ? ExitCode::success : ExitCode::negative;
}

}  // namespace

void add_scale(CLI::App& app, Invocation& invocation) {
  auto* command = app.add_subcommand("scale", "Fit how the time of an iteration grows with the batch");
  command->footer(
      "The time is a power of the batch and a constant: a x batch^b + c, with 95% intervals. The constant is what\n"
      "each iteration costs, the power what the batch costs; exponents from 0.02 to 6 are tried. With --against both\n"
      "builds are measured in turn and fitted together: a larger constant is overhead, a larger factor is kernels,\n"
      "another exponent another algorithm. Nothing is kept. Exit code 1 where a case has no law.\n\n"
      "  tbci scale dlrm --build 2026-01-07 --configurations cpu-infer\n"
      "  tbci scale dlrm --build 2026-01-07 --against 2026-01-06 --batches 8,16,32,64,128,256");
  auto options = std::make_shared<ScaleOptions>();
  command->add_option("benchmark", options->selection.benchmarks, "What is measured")
      ->required()
      ->expected(1)
      ->type_name("BENCHMARK");
  add_subject_option(*command, options->selection);
  command->add_option("--build", options->build, "Nightly or revision")->required()->type_name("NAME");
  command->add_option("--against", options->against, "Also measure this older build")->type_name("NAME");
  command->add_option("--over", options->over, "What grows")->check(CLI::IsMember({"batch"}))->capture_default_str();
  command->add_option("--batches", options->plan.batches, "With commas, four at least")
      ->delimiter(',')
      ->check(CLI::Range(1, 1000000))
      ->type_name("N,N,...")
      ->default_str("1,2,4,8,16,32,64,128");
  command->add_option("--rounds", options->plan.processes, "Processes of each batch")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  command->add_option("--configurations", options->selection.configurations, "Only these (default: as configured)")
      ->type_name("NAME ...");
  command->callback([&invocation, options] {
    invocation.action = [&invocation, options](std::stop_token stop) {
      return run_scale(invocation, *options, std::move(stop));
    };
  });
}

}  // namespace tbci::daemon
