#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "daemon/cli/application.hpp"
#include "daemon/cli/json.hpp"
#include "daemon/cli/selection.hpp"
#include "daemon/cli/subject_session.hpp"
#include "daemon/cli/table.hpp"
#include "pipeline/measure/building.hpp"

namespace tbci::daemon {

namespace {

struct AnchorOptions {
  Selection selection;
  std::string build;
  std::string reason;
};

Result<std::string> name_of(pipeline::SubjectContext& context, const model::Anchor& anchor) {
  if (!anchor.build_id) return std::string("none");
  return context.stores.builds.get(*anchor.build_id).map([](const model::Build& build) { return build.name; });
}

Result<nlohmann::json> as_json(pipeline::SubjectContext& context, const model::Anchor& anchor) {
  TBCI_ASSIGN(const std::string name, name_of(context, anchor));
  nlohmann::json json = {
      {"build", nullptr}, {"person", anchor.person}, {"reason", anchor.reason}, {"set", to_iso8601(anchor.set)}};
  if (anchor.build_id) json["build"] = name;
  return json;
}

Result<ExitCode> record(const Invocation& invocation, pipeline::SubjectContext& context,
                        const std::optional<model::Build>& build, const std::string& reason) {
  model::Anchor act{.id = 0,
                    .subject = context.name(),
                    .build_id = build ? std::optional(build->id) : std::nullopt,
                    .person = person(),
                    .reason = one_line(reason, 500),
                    .set = context.clock.now()};
  TBCI_ASSIGN(const model::Anchor kept, context.stores.anchors.set(act));
  if (invocation.json) {
    TBCI_ASSIGN(const nlohmann::json json, as_json(context, kept));
    print_json(json);
  } else {
    fmt::print("{}\n", build ? fmt::format("nights are now compared with the anchor {}", build->name)
                             : "nights are no longer compared with an anchor");
  }
  return ExitCode::success;
}

Result<ExitCode> set(const Invocation& invocation, const AnchorOptions& options, std::stop_token stop) {
  TBCI_ASSIGN(const auto session, open_session(invocation, options.selection, std::move(stop)));
  pipeline::SubjectContext& context = session->context();
  if (trim(options.reason).empty())
    return fail(ErrorKind::usage, "an anchor needs a --reason, because it decides what counts as creep");
  TBCI_ASSIGN(const model::Build build, pipeline::build_named(context, options.build));
  return record(invocation, context, build, options.reason);
}

Result<ExitCode> clear(const Invocation& invocation, const AnchorOptions& options, std::stop_token stop) {
  TBCI_ASSIGN(const auto session, open_session(invocation, options.selection, std::move(stop)));
  pipeline::SubjectContext& context = session->context();
  if (trim(options.reason).empty()) return fail(ErrorKind::usage, "clearing the anchor needs a --reason");
  TBCI_ASSIGN(const auto current, context.stores.anchors.current(context.name()));
  if (!current) return fail(ErrorKind::usage, "{} has no anchor to clear", context.name());
  return record(invocation, context, std::nullopt, options.reason);
}

Result<ExitCode> show(const Invocation& invocation, const AnchorOptions& options, std::stop_token stop) {
  TBCI_ASSIGN(const auto session, open_session(invocation, options.selection, std::move(stop)));
  pipeline::SubjectContext& context = session->context();
  constexpr int shown = 100;
  TBCI_ASSIGN(const auto acts, context.stores.anchors.acts(context.name(), shown));
  nlohmann::json json = nlohmann::json::array();
  Table table({{"build"}, {"set"}, {"by"}, {"why"}});
  for (const model::Anchor& act : acts) {
    TBCI_ASSIGN(auto one, as_json(context, act));
    json.push_back(std::move(one));
    TBCI_ASSIGN(const std::string name, name_of(context, act));
    table.add({name, to_iso8601(act.set), act.person, act.reason});
  }
  if (invocation.json) {
    print_json(json);
  } else if (acts.empty()) {
    fmt::print("no anchor was ever set, so tbci does not look for creep (see `tbci anchor set --help`)\n");
  } else {
    fmt::print("{}", table.text());
  }
  return ExitCode::success;
}

using Action = Result<ExitCode> (*)(const Invocation&, const AnchorOptions&, std::stop_token);

void on_call(CLI::App& command, Invocation& invocation, const std::shared_ptr<AnchorOptions>& options, Action action) {
  add_subject_option(command, options->selection);
  command.callback([&invocation, options, action] {
    invocation.action = [&invocation, options, action](std::stop_token stop) {
      return action(invocation, *options, std::move(stop));
    };
  });
}

}  // namespace

void add_anchor(CLI::App& app, Invocation& invocation) {
  auto* command = app.add_subcommand("anchor", "The pinned build that slow creep is measured against");
  command->require_subcommand(1);
  command->footer(
      "Many small slowdowns, each below the threshold, add up. Each night measures some cases on the new nightly and\n"
      "on the anchor; what has crept over the threshold is confirmed, bisected and reported. The anchor never moves "
      "by\n"
      "itself. Setting a new one accepts everything that became slower since the old one.");
  auto options = std::make_shared<AnchorOptions>();
  auto* set_command = command->add_subcommand("set", "Pin a build, and accept all changes up to it");
  set_command->footer("  tbci anchor set 2.13.0.dev20260518 --reason \"the release of May\"");
  set_command->add_option("build", options->build, "Nightly, or revision of the repository")
      ->required()
      ->type_name("NAME");
  set_command->add_option("--reason", options->reason, "Why; kept in the history of anchors")
      ->required()
      ->type_name("TEXT");
  on_call(*set_command, invocation, options, set);
  on_call(*command->add_subcommand("show", "List what was set and cleared, the latest first"), invocation, options,
          show);
  auto* clear_command = command->add_subcommand("clear", "Clear the anchor: tbci no longer looks for creep");
  clear_command->add_option("--reason", options->reason, "Why; kept in the history of anchors")
      ->required()
      ->type_name("TEXT");
  on_call(*clear_command, invocation, options, clear);
}

}  // namespace tbci::daemon
