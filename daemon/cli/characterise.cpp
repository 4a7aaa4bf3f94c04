#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "daemon/cli/application.hpp"
#include "daemon/cli/character_table.hpp"
#include "daemon/cli/json.hpp"
#include "daemon/cli/selection.hpp"
#include "daemon/cli/subject_session.hpp"
#include "pipeline/measure/benchmark_list.hpp"
#include "pipeline/measure/building.hpp"
#include "pipeline/measure/measuring.hpp"

namespace tbci::daemon {

namespace {

struct CharacteriseOptions {
  Selection selection;
  std::string build, against;
};

// A suite that cannot be listed loses its domains alone: its cases are in the table.
Domains domains_of(pipeline::SubjectContext& context, const model::Build& build) {
  Domains domains;
  if (const auto listing = pipeline::listed_benchmarks(context, build.product)) {
    for (const auto& benchmark : listing->benchmarks) domains[benchmark.name] = benchmark.domain;
  }
  return domains;
}

void say_missing(const pipeline::Characters& characters, const std::string& build) {
  for (const auto& [measured, why] : characters.missing)
    fmt::print(stderr, "tbci: {} of {} cannot be recorded: {}\n", to_string(measured), one_line(build, 40), why);
}

nlohmann::json list_of(const pipeline::Characters& characters) {
  nlohmann::json list = nlohmann::json::array();
  for (const pipeline::Character& each : characters.of_cases) list.push_back(json_of(each));
  return list;
}

Result<ExitCode> characterise(const Invocation& invocation, const CharacteriseOptions& options, std::stop_token stop) {
  TBCI_ASSIGN(const auto session, open_session(invocation, options.selection, std::move(stop)));
  pipeline::SubjectContext& context = session->context();
  TBCI_ASSIGN(const model::Build build, pipeline::build_named(context, options.build));
  TBCI_ASSIGN(const auto cases, pipeline::wanted_cases(context, build.product));
  TBCI_ASSIGN(const auto now, pipeline::characterise_all(context, build, cases));
  pipeline::Characters before;
  if (!options.against.empty()) {
    TBCI_ASSIGN(const model::Build other, pipeline::build_named(context, options.against));
    TBCI_ASSIGN(before, pipeline::characterise_all(context, other, cases));
  }
  say_missing(now, options.build);
  say_missing(before, options.against);
  if (invocation.json) {
    nlohmann::json json = {{"build", build.name}, {"cases", list_of(now)}};
    if (!options.against.empty()) json["against"] = {{"build", options.against}, {"cases", list_of(before)}};
    print_json(json);
  } else {
    fmt::print("{}", character_text(now.of_cases, domains_of(context, build), before.of_cases));
  }
  return now.of_cases.empty() && !cases.empty() ? ExitCode::negative : ExitCode::success;
}

}  // namespace

void add_characterise(CLI::App& app, Invocation& invocation) {
  auto* command =
      app.add_subcommand("characterise", "Show where the time of an iteration goes: active, movement, idle");
  command->footer(
      "On a CPU, active is operators that compute, movement operators that only copy, convert or reorder, and idle\n"
      "no operator, page faults and threads that wait. On a GPU they are its kernels, its copies from and to the\n"
      "host, and neither. Beside them: the floating-point operations a second, and their share of what a large\n"
      "product of matrices reaches. Nothing is kept.\n\n"
      "  tbci characterise --build 2026-01-07\n"
      "  tbci characterise --build main --against main~5 --benchmarks dlrm --configurations cpu-train");
  auto options = std::make_shared<CharacteriseOptions>();
  add_subject_option(*command, options->selection);
  command->add_option("--build", options->build, "Nightly or revision")->required()->type_name("NAME");
  command->add_option("--against", options->against, "Also show the difference from this build")->type_name("NAME");
  add_benchmark_options(*command, options->selection);
  command->callback([&invocation, options] {
    invocation.action = [&invocation, options](std::stop_token stop) {
      return characterise(invocation, *options, std::move(stop));
    };
  });
}

}  // namespace tbci::daemon
