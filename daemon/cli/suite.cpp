#include <CLI/CLI.hpp>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "daemon/cli/application.hpp"
#include "daemon/cli/json.hpp"
#include "daemon/cli/selection.hpp"
#include "daemon/cli/suite_batches.hpp"
#include "daemon/cli/suite_coverage.hpp"
#include "daemon/cli/suite_product.hpp"
#include "daemon/cli/table.hpp"
#include "daemon/state_dir.hpp"
#include "pipeline/measure/benchmark_list.hpp"
#include "pipeline/measure/measuring.hpp"

namespace tbci::daemon {

namespace {

struct SuiteOptions {
  Selection selection;
  std::string build;
};

std::vector<std::string> names_of(const std::vector<model::Configuration>& configurations) {
  std::vector<std::string> names;
  for (const model::Configuration configuration : configurations) names.emplace_back(to_string(configuration));
  return names;
}

Result<int> list(const Invocation& invocation, const SuiteOptions& options, std::stop_token stop) {
  TBCI_ASSIGN(settings::Config config, load_config(invocation));
  TBCI_ASSIGN(const auto opened, open_subject(std::move(config), options.selection.subject));
  const auto& [site, subject] = opened;
  const auto progress = make_progress(invocation);
  OpenContext at(*site, *subject, *progress, stop);
  TBCI_ASSIGN(const model::Product product, product_to_ask(at.context(), options.build));
  TBCI_ASSIGN(const auto suite, pipeline::listed_benchmarks(at.context(), product));
  nlohmann::json json = {{"benchmarks", nlohmann::json::array()}, {"left_out", nlohmann::json::array()}};
  for (const runner::UnlistedSuite& trouble : suite.left_out)
    json["left_out"].push_back({{"suite", trouble.prefix}, {"reason", valid_utf8(trouble.reason)}});
  Table table({{"benchmark"}, {"domain"}, {"task"}, {"configurations"}, {"parameters", Align::right}});
  for (const runner::BenchmarkInfo& benchmark : suite.benchmarks) {
    const auto configurations = names_of(benchmark.configurations);
    table.add({benchmark.name, benchmark.domain, benchmark.task, join(configurations, " "),
               std::to_string(benchmark.parameters)});
    json["benchmarks"].push_back({{"name", valid_utf8(benchmark.name)},
                                  {"domain", valid_utf8(benchmark.domain)},
                                  {"task", valid_utf8(benchmark.task)},
                                  {"configurations", configurations},
                                  {"parameters", benchmark.parameters}});
  }
  if (invocation.json) print_json(json);
  if (!invocation.json) fmt::print("{}", table.text());
  return success;
}

// The operators of every wanted benchmark on the CPU. A benchmark that fails is told of and costs its own alone.
Result<std::vector<runner::Reached>> reach(pipeline::SubjectContext& context, const model::Product& product,
                                           int& failures) {
  TBCI_ASSIGN(const auto suite, pipeline::listed_benchmarks(context, product));
  TBCI_ASSIGN(const auto cases, pipeline::wanted_cases(context, product));
  std::map<std::string, std::string> domains;
  for (const runner::BenchmarkInfo& benchmark : suite.benchmarks) domains[benchmark.name] = benchmark.domain;
  std::vector<model::Case> on_cpu;
  for (const model::Case& wanted : cases) {
    if (wanted.configuration == model::Configuration::cpu_train ||
        wanted.configuration == model::Configuration::cpu_infer)
      on_cpu.push_back(wanted);
  }
  context.progress.begin_stage("operators", fmt::format("{} cases", on_cpu.size()), static_cast<int>(on_cpu.size()));
  std::vector<runner::Reached> reached;
  for (const model::Case& wanted : on_cpu) {
    context.progress.step(to_string(wanted));
    auto calls = context.machine.operators(product, wanted, context.stop);
    if (!calls && calls.error().kind == ErrorKind::interrupted) return tl::unexpected(calls.error());
    if (!calls) {
      context.progress.note(fmt::format("{}: {}", to_string(wanted), calls.error().message));
      ++failures;
      continue;
    }
    reached.push_back({wanted.benchmark, domains[wanted.benchmark],
                       wanted.configuration == model::Configuration::cpu_train, std::move(*calls)});
  }
  context.progress.end_stage(fmt::format("{} of {} told", reached.size(), on_cpu.size()));
  return reached;
}

Result<int> coverage(const Invocation& invocation, const SuiteOptions& options, std::stop_token stop) {
  TBCI_ASSIGN(settings::Config config, load_config(invocation));
  TBCI_TRY(apply(options.selection, config));
  TBCI_ASSIGN(const auto opened, open_subject(std::move(config), options.selection.subject));
  const auto& [site, subject] = opened;
  const auto progress = make_progress(invocation);
  OpenContext at(*site, *subject, *progress, stop);
  TBCI_ASSIGN(const model::Product product, product_to_ask(at.context(), options.build));
  int failures = 0;
  TBCI_ASSIGN(const auto reached, reach(at.context(), product, failures));
  const runner::Coverage counted = runner::coverage_of(reached);
  if (invocation.json) print_json(coverage_json(counted));
  if (!invocation.json) fmt::print("{}", coverage_text(counted));
  return failures == 0 ? success : negative;
}

}  // namespace

void add_suite(CLI::App& app, Invocation& invocation) {
  auto* command = app.add_subcommand("suite", "The models that are measured");
  command->require_subcommand(1);
  auto* list_command =
      command->add_subcommand("list", "Names, domains, configurations and sizes, as the worker tells them");
  list_command->footer(
      "  tbci suite list\n  tbci suite list --json\n\nThe worker is built first where it is not there yet (a minute or "
      "two).");
  auto options = std::make_shared<SuiteOptions>();
  add_subject_option(*list_command, options->selection);
  list_command->add_option("--build", options->build, "Ask the worker of this build (default: any that is there)")
      ->type_name("NAME");
  auto* coverage_command =
      command->add_subcommand("coverage", "Which ATen operators one iteration of each model calls");
  coverage_command->footer(
      "Every benchmark runs twice in train and infer on the CPU, and the second iteration is watched. At any depth: "
      "all\n"
      "that went through PyTorch's dispatcher. Below autograd: what reaches a kernel.\n\n"
      "  tbci suite coverage\n  tbci suite coverage --benchmarks resnet50 dlrm --json\n\n"
      "Exit code 1 where a benchmark failed; the others are counted.");
  add_subject_option(*coverage_command, options->selection);
  add_case_options(*coverage_command, options->selection);
  coverage_command->add_option("--build", options->build, "Ask the worker of this build (default: any that is there)")
      ->type_name("NAME");
  add_suite_batches(*command, invocation);
  coverage_command->callback([&invocation, options] {
    invocation.action = [&invocation, options](std::stop_token stop) {
      return coverage(invocation, *options, std::move(stop));
    };
  });
  list_command->callback([&invocation, options] {
    invocation.action = [&invocation, options](std::stop_token stop) {
      return list(invocation, *options, std::move(stop));
    };
  });
}

}  // namespace tbci::daemon
