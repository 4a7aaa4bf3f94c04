#include <CLI/CLI.hpp>
#include <algorithm>
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
#include "pipeline/measure/recorded_comparison.hpp"

namespace tbci::daemon {

namespace {

struct WhyOptions {
  Selection selection;
  std::string measured, build, against;
  std::string variant;
  double least = 1;  // percent
};

// `dlrm/cpu-train`, `dlrm/cpu-infer:jit`: the selection has the parts, so that what is not there is refused in the
// usual words.
Status select_case(WhyOptions& options) {
  const auto slash = options.measured.rfind('/');
  if (slash == std::string::npos || slash == 0)
    return fail(ErrorKind::usage, "'{}' is not a case: write BENCHMARK/CONFIGURATION, such as dlrm/cpu-train",
                one_line(options.measured, 80));
  options.selection.benchmarks = {options.measured.substr(0, slash)};
  const std::string configuration = options.measured.substr(slash + 1);
  const auto colon = configuration.find(':');
  options.selection.configurations = {configuration.substr(0, colon)};
  options.selection.backends = {colon == std::string::npos ? "eager" : configuration.substr(colon + 1)};
  return {};
}

std::string headline(const pipeline::Character& character) {
  const double whole = std::max(character.split.whole(), 1e-9);
  return fmt::format("{}: {} an iteration, {:.1f}% active, {:.1f}% movement, {:.1f}% idle (recorded: {:.2f}x)\n\n",
                     to_string(character.measured),
                     human_duration(std::chrono::nanoseconds(static_cast<std::int64_t>(whole))),
                     character.split.active / whole * 100, character.split.movement / whole * 100,
                     character.split.idle / whole * 100, character.recorded);
}

struct Shown {
  pipeline::Character character;
  std::vector<detect::AddedHint> hints;  // those of the build, or what it added to the other
};

Result<Shown> look_at(pipeline::SubjectContext& context, const WhyOptions& options) {
  TBCI_ASSIGN(const model::Build build, pipeline::build_named(context, options.build));
  TBCI_ASSIGN(const auto cases, pipeline::wanted_cases(context, build.product));
  if (cases.empty()) return fail(ErrorKind::usage, "{} has no case {}", options.build, one_line(options.measured, 80));
  const pipeline::CharacterOptions how{.variant = options.variant, .thresholds = {.least_gain = options.least / 100}};
  if (!options.against.empty()) {
    TBCI_ASSIGN(const model::Build before, pipeline::build_named(context, options.against));
    context.progress.begin_stage("hints", to_string(cases.front()), pipeline::recordings_of_each);
    TBCI_ASSIGN(auto compared, pipeline::compare_recordings(context, {before, build}, cases.front(), how));
    context.progress.end_stage(fmt::format("{} new", compared.added.size()));
    return Shown{std::move(compared.after), std::move(compared.added)};
  }
  Shown shown;
  TBCI_ASSIGN(shown.character, pipeline::characterise(context, build, cases.front(), how));
  for (const detect::Hint& hint : shown.character.hints) shown.hints.push_back({.hint = hint});
  return shown;
}

Result<ExitCode> why(const Invocation& invocation, WhyOptions options, std::stop_token stop) {
  TBCI_TRY(select_case(options));
  TBCI_ASSIGN(const auto session, open_session(invocation, options.selection, std::move(stop)));
  TBCI_ASSIGN(const Shown shown, look_at(session->context(), options));
  const bool added = !options.against.empty();
  if (!invocation.json) {
    fmt::print("{}{}", headline(shown.character), hints_text(shown.hints, added, options.least));
    return ExitCode::success;
  }
  nlohmann::json json = json_of(shown.character);
  json["hints"] = nlohmann::json::array();
  for (const detect::AddedHint& hint : shown.hints) json["hints"].push_back(json_of(hint, added));
  print_json(json);
  return ExitCode::success;
}

}  // namespace

void add_why(CLI::App& app, Invocation& invocation) {
  auto* command = app.add_subcommand("why", "Show hints at why a case is slow, and what to try");
  command->footer(
      "A hint names an operator, its calls in an iteration, their share of it, and what a change would save. It\n"
      "comes from the calls of a few iterations, recorded now. With --against both builds are recorded three\n"
      "times, in turn, and only hints are shown that the other build has not, or has for less time. With --variant\n"
      "the model is on the other side of a patch of the TorchBench paper (tbci-worker list --variants shows them).\n\n"
      "  tbci why dlrm/cpu-train --build 2026-01-07\n"
      "  tbci why dlrm/cpu-train --build 2026-01-07 --variant zeros-one-by-one --least 0.1\n"
      "  tbci why hf_Reformer/cpu-infer --build main --against main~1");
  auto options = std::make_shared<WhyOptions>();
  command->add_option("case", options->measured, "What is slow")->required()->type_name("BENCHMARK/CONFIGURATION");
  add_subject_option(*command, options->selection);
  command->add_option("--build", options->build, "Nightly or revision")->required()->type_name("NAME");
  command->add_option("--against", options->against, "Show only what was added to the hints of this build")
      ->type_name("NAME");
  command->add_option("--variant", options->variant, "Record this variant of the model")->type_name("NAME");
  command->add_option("--least", options->least, "Leave out hints that gain less than this part of an iteration")
      ->type_name("PERCENT")
      ->check(CLI::Range(0.01, 100.0))
      ->capture_default_str();
  command->callback([&invocation, options] {
    invocation.action = [&invocation, options](std::stop_token stop) {
      return why(invocation, *options, std::move(stop));
    };
  });
}

}  // namespace tbci::daemon
