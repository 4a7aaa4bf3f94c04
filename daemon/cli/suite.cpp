#include <CLI/CLI.hpp>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "daemon/cli/application.hpp"
#include "daemon/cli/json.hpp"
#include "daemon/cli/selection.hpp"
#include "daemon/cli/subject_session.hpp"
#include "daemon/cli/suite_batches.hpp"
#include "daemon/cli/suite_coverage.hpp"
#include "daemon/cli/suite_source.hpp"
#include "daemon/cli/table.hpp"
#include "pipeline/measure/benchmark_list.hpp"
#include "pipeline/measure/measuring.hpp"
#include "runner/suites.hpp"

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

// The suite, and who described it.
struct SuiteListing {
  std::vector<runner::BenchmarkInfo> benchmarks;
  std::vector<runner::UnlistedSuite> left_out;
  bool from_sources = false;
};

Result<SuiteListing> listing_of_sources(const std::filesystem::path& suite, const std::vector<std::string>& families,
                                        const std::string& why) {
  SuiteListing listing{.benchmarks = {}, .left_out = {}, .from_sources = true};
  TBCI_ASSIGN(listing.benchmarks, read_catalogue(suite, families));
  fmt::print(stderr, "{}: this is what the sources in {} have; a build may lack some of it\n", why, suite.string());
  return listing;
}

Result<SuiteListing> listing_of(const Invocation& invocation, const SuiteOptions& options, std::stop_token stop) {
  const bool asks_worker = !options.build.empty() || !options.selection.subject.empty();
  if (!has_config(invocation) && !asks_worker)
    return listing_of_sources(settings::own_worker_source(), {}, "no configuration");
  TBCI_ASSIGN(const auto session, open_session(invocation, options.selection, std::move(stop)));
  pipeline::SubjectContext& context = session->context();
  TBCI_ASSIGN(const auto product, known_product(context, options.build));
  const runner::Subject& subject = context.subject;
  if (!product && (!runner::has_native_suite(subject) || !subject.worker_models.empty()))
    return fail(ErrorKind::usage, "no build of {} is installed yet: name one with --build", context.name());
  if (!product) {
    return listing_of_sources(subject.worker_source, subject.worker_families,
                              fmt::format("no build of {} is installed yet", context.name()));
  }
  SuiteListing listing;
  TBCI_ASSIGN(auto listed, pipeline::listed_benchmarks(context, *product));
  listing.benchmarks = std::move(listed.benchmarks);
  listing.left_out = std::move(listed.left_out);
  return listing;
}

Result<ExitCode> list(const Invocation& invocation, const SuiteOptions& options, std::stop_token stop) {
  TBCI_ASSIGN(const SuiteListing suite, listing_of(invocation, options, std::move(stop)));
  nlohmann::json json = {{"benchmarks", nlohmann::json::array()},
                         {"left_out", nlohmann::json::array()},
                         {"from_sources", suite.from_sources}};
  for (const runner::UnlistedSuite& unlisted : suite.left_out)
    json["left_out"].push_back({{"suite", unlisted.prefix}, {"reason", valid_utf8(unlisted.reason)}});
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
  return ExitCode::success;
}

// The operators of every wanted benchmark on the CPU. A benchmark that fails is reported, and the others are counted.
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
    reached.push_back({.benchmark = wanted.benchmark,
                       .domain = domains[wanted.benchmark],
                       .train = wanted.configuration == model::Configuration::cpu_train,
                       .calls = std::move(*calls)});
  }
  context.progress.end_stage(fmt::format("{} of {} profiled", reached.size(), on_cpu.size()));
  return reached;
}

Result<ExitCode> coverage(const Invocation& invocation, const SuiteOptions& options, std::stop_token stop) {
  TBCI_ASSIGN(const auto session, open_session(invocation, options.selection, std::move(stop)));
  pipeline::SubjectContext& context = session->context();
  TBCI_ASSIGN(const model::Product product, product_to_ask(context, options.build));
  int failures = 0;
  TBCI_ASSIGN(const auto reached, reach(context, product, failures));
  const runner::Coverage counted = runner::coverage_of(reached);
  if (invocation.json) print_json(coverage_json(counted));
  if (!invocation.json) fmt::print("{}", coverage_text(counted));
  return failures == 0 ? ExitCode::success : ExitCode::negative;
}

}  // namespace

void add_suite(CLI::App& app, Invocation& invocation) {
  auto* command = app.add_subcommand("suite", "Show or prepare the models that are measured");
  command->require_subcommand(1);
  auto* list_command = command->add_subcommand("list", "List the benchmarks: names, domains, configurations and sizes");
  list_command->footer(
      "  tbci suite list\n  tbci suite list --config configs/pytorch-cpu.toml --json\n\n"
      "Asks the worker of a build; the worker is built first if necessary (a minute or two). Without a configuration,\n"
      "or before there is a build, lists what the worker's sources have.");
  auto options = std::make_shared<SuiteOptions>();
  add_subject_option(*list_command, options->selection);
  list_command->add_option("--build", options->build, "Ask the worker of this build (default: any that is installed)")
      ->type_name("NAME");
  auto* coverage_command =
      command->add_subcommand("coverage", "Count the ATen operators that one iteration of each model calls");
  coverage_command->footer(
      "Every benchmark runs two iterations in train and infer on the CPU, and the second one is recorded. At any "
      "depth:\n"
      "all operators that went through PyTorch's dispatcher. Below autograd: those that reach a kernel.\n\n"
      "  tbci suite coverage\n  tbci suite coverage --benchmarks resnet50 dlrm --json\n\n"
      "Exit code 1 if a benchmark failed; the others are counted.");
  add_subject_option(*coverage_command, options->selection);
  add_benchmark_options(*coverage_command, options->selection);
  coverage_command
      ->add_option("--build", options->build, "Ask the worker of this build (default: any that is installed)")
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
