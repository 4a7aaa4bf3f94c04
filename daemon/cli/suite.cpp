#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "daemon/cli/application.hpp"
#include "daemon/cli/json.hpp"
#include "daemon/cli/selection.hpp"
#include "daemon/cli/table.hpp"
#include "daemon/pipeline/building.hpp"
#include "daemon/site.hpp"

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

Result<model::Product> product_to_ask(Desk& desk, const std::string& build) {
  if (build.empty() && !desk.subject.subject.torch_base.empty()) {
    return model::Product{
        .libtorch = desk.subject.subject.torch_base, .preload = {}, .python = {}, .commit = {}, .version = {}};
  }
  if (!build.empty()) return build_named(desk, build).map([](const model::Build& found) { return found.product; });
  TBCI_ASSIGN(const auto builds, desk.stores.builds.list(desk.name(), 100));
  for (const model::Build& known : builds) {
    if (known.state == model::BuildState::ready) return known.product;
  }
  return fail(ErrorKind::usage, "no build of {} is installed yet: name one with --build", desk.name());
}

Result<int> list(const Invocation& invocation, const SuiteOptions& options, std::stop_token stop) {
  TBCI_ASSIGN(Config config, load_config(invocation));
  TBCI_ASSIGN(const auto opened, open_subject(std::move(config), options.selection.subject));
  const auto& [site, subject] = opened;
  SilentProgress silent;
  SubjectDesk at(*site, *subject, silent, stop);
  TBCI_ASSIGN(const model::Product product, product_to_ask(at.desk(), options.build));
  TBCI_ASSIGN(const auto suite, at.desk().workshop.benchmarks(product, stop));
  nlohmann::json json = {{"benchmarks", nlohmann::json::array()}};
  Table table({{"benchmark"}, {"domain"}, {"task"}, {"configurations"}, {"parameters", Align::right}});
  for (const runner::BenchmarkInfo& benchmark : suite) {
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
  list_command->callback([&invocation, options] {
    invocation.action = [&invocation, options](std::stop_token stop) {
      return list(invocation, *options, std::move(stop));
    };
  });
}

}  // namespace tbci::daemon
