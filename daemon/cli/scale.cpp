#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/text.hpp"
#include "daemon/cli/application.hpp"
#include "daemon/cli/json.hpp"
#include "daemon/cli/learning_table.hpp"
#include "daemon/cli/scale_table.hpp"
#include "daemon/cli/selection.hpp"
#include "daemon/cli/subject_session.hpp"
#include "pipeline/measure/benchmark_list.hpp"
#include "pipeline/measure/building.hpp"
#include "pipeline/measure/learning.hpp"
#include "pipeline/measure/measuring.hpp"
#include "pipeline/measure/scale_sizes.hpp"
#include "pipeline/measure/scaling.hpp"

namespace tbci::daemon {

namespace {

struct ScaleOptions {
  Selection selection;
  std::string build, against;
  std::string over = "batch";
  std::vector<std::int64_t> sizes;
  std::optional<int> rounds;
};

// What is scaled: the sizes, and the cases.
struct ScaledSelection {
  std::vector<std::int64_t> sizes;
  std::vector<model::Case> cases;
};

Result<ScaledSelection> select_scaled(pipeline::SubjectContext& context, const model::Product& product,
                                      const ScaleOptions& options) {
  ScaledSelection selected;
  TBCI_ASSIGN(selected.cases, pipeline::wanted_cases(context, product));
  TBCI_ASSIGN(const auto listing, pipeline::listed_benchmarks(context, product));
  TBCI_ASSIGN(selected.sizes,
              pipeline::sizes_to_scale(listing, options.selection.benchmarks.front(), options.over, options.sizes));
  if (!pipeline::is_of_losses(options.over)) return selected;
  std::erase_if(selected.cases,
                [](const model::Case& one) { return one.configuration != model::Configuration::cpu_train; });
  if (selected.cases.empty())
    return fail(ErrorKind::usage, "losses are those of cpu-train, which is not among the configurations");
  return selected;
}

Result<std::vector<model::Build>> scaled_builds(pipeline::SubjectContext& context, const ScaleOptions& options) {
  std::vector<model::Build> builds;
  if (!options.against.empty()) {
    TBCI_ASSIGN(model::Build older, pipeline::build_named(context, options.against));
    builds.push_back(std::move(older));
  }
  TBCI_ASSIGN(model::Build build, pipeline::build_named(context, options.build));
  builds.push_back(std::move(build));
  return builds;
}

// Prints or collects a case; whether all of its builds have a law, and two of them a comparison.
template <class Scaled>
bool show_scaled(const Scaled& scaled, const std::string& text, bool as_json, nlohmann::json& list) {
  if (as_json) {
    list.push_back(json_of(scaled));
  } else {
    fmt::print("{}\n", text);
  }
  return scaled.no_change.empty() &&
         std::ranges::all_of(scaled.builds, [](const auto& one) { return one.law.has_value(); });
}

Result<ExitCode> run_scale(const Invocation& invocation, const ScaleOptions& options, std::stop_token stop) {
  if (!options.sizes.empty()) TBCI_TRY(pipeline::check_scale_sizes(options.sizes, options.over));
  if (pipeline::is_of_losses(options.over) && !options.against.empty() && options.rounds == 1)
    return fail(ErrorKind::usage, "losses of two builds are compared over two seeds at least: --rounds 2 or more");
  TBCI_ASSIGN(const auto session, open_session(invocation, options.selection, std::move(stop)));
  pipeline::SubjectContext& context = session->context();
  TBCI_ASSIGN(const auto builds, scaled_builds(context, options));
  TBCI_ASSIGN(const auto selected, select_scaled(context, builds.back().product, options));
  nlohmann::json list = nlohmann::json::array();
  bool good = !selected.cases.empty();
  for (const model::Case& measured : selected.cases) {
    if (pipeline::is_of_losses(options.over)) {
      const pipeline::LearningScalePlan plan{options.over, selected.sizes, options.rounds.value_or(5)};
      TBCI_ASSIGN(const auto scaled, pipeline::scale_learning(context, builds, measured, plan));
      good = show_scaled(scaled, learning_text(scaled), invocation.json, list) && good;
      good = good && !(scaled.change && scaled.change->worse());
    } else {
      const pipeline::ScalePlan plan{options.over, selected.sizes, options.rounds.value_or(3)};
      TBCI_ASSIGN(const auto scaled, pipeline::scale(context, builds, measured, plan));
      good = show_scaled(scaled, scale_text(scaled), invocation.json, list) && good;
    }
  }
  if (invocation.json) print_json({{"cases", std::move(list)}});
  return good ? ExitCode::success : ExitCode::negative;
}

}  // namespace

void add_scale(CLI::App& app, Invocation& invocation) {
  auto* command = app.add_subcommand("scale", "Fit how time grows with a size, or how loss falls");
  command->footer(
      "The time is a power of the size and a constant: a x size^b + c, with 95% intervals. The constant is what each\n"
      "iteration costs, the power what the size costs; exponents from 0.02 to 6 are tried. With --against both builds\n"
      "are measured in turn and fitted together: a larger constant is overhead, a larger factor is kernels, another\n"
      "exponent another algorithm. --over rows and width scale the tables of benchmarks that offer it.\n"
      "--over samples, parameters and compute train a click model on clicks whose entropy is known: the constant of\n"
      "its loss estimates that. With --against both builds train on the same samples: one that learns worse is found.\n"
      "Nothing is kept. Exit code 1 where a case has no law, or the build learns worse.\n\n"
      "  tbci scale dlrm --build 2026-01-07 --configurations cpu-infer\n"
      "  tbci scale dlrm --build 2026-01-07 --against 2026-01-06 --sizes 8,16,32,64,128,256\n"
      "  tbci scale dlrm --build 2026-01-07 --against 2026-01-06 --over samples");
  auto options = std::make_shared<ScaleOptions>();
  command->add_option("benchmark", options->selection.benchmarks, "What is measured")
      ->required()
      ->expected(1)
      ->type_name("BENCHMARK");
  add_subject_option(*command, options->selection);
  command->add_option("--build", options->build, "Nightly or revision")->required()->type_name("NAME");
  command->add_option("--against", options->against, "Also measure this older build")->type_name("NAME");
  command->add_option("--over", options->over, "What grows")
      ->check(CLI::IsMember(std::vector<std::string>(std::begin(pipeline::all_scales), std::end(pipeline::all_scales))))
      ->capture_default_str();
  command->add_option("--sizes,--batches", options->sizes, "With commas, four at least (default: by what grows)")
      ->delimiter(',')
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1000000000000000}))
      ->type_name("N,N,...");
  command->add_option("--rounds", options->rounds, "Processes of each size (default: 3; of losses 5, each with a seed)")
      ->check(CLI::Range(1, 100));
  command->add_option("--configurations", options->selection.configurations, "Only these (default: as configured)")
      ->type_name("NAME ...");
  command->callback([&invocation, options] {
    invocation.action = [&invocation, options](std::stop_token stop) {
      return run_scale(invocation, *options, std::move(stop));
    };
  });
}

}  // namespace tbci::daemon
