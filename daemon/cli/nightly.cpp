#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "daemon/cli/application.hpp"
#include "daemon/cli/json.hpp"
#include "daemon/cli/nightly_keep.hpp"
#include "daemon/cli/nightly_list.hpp"
#include "daemon/cli/selection.hpp"
#include "daemon/cli/subject_session.hpp"
#include "daemon/cli/table.hpp"
#include "pipeline/bisect/nightly_range.hpp"
#include "pipeline/measure/building.hpp"
#include "runner/nightly/venv.hpp"
#include "web/queries/json.hpp"

namespace tbci::daemon {

namespace {

struct NightlyOptions {
  Selection selection;
  std::string name, from, to;
};

Result<ExitCode> list(const Invocation& invocation, const NightlyOptions& options, std::stop_token stop) {
  TBCI_ASSIGN(const auto session, open_session(invocation, options.selection, std::move(stop)));
  TBCI_ASSIGN(const auto listed, list_nightlies(session->context()));
  if (invocation.json) print_json(json_of(listed));
  if (!invocation.json) fmt::print("{}", text_of(listed));
  return ExitCode::success;
}

Result<ExitCode> install(const Invocation& invocation, const NightlyOptions& options, std::stop_token stop) {
  TBCI_ASSIGN(const auto session, open_session(invocation, options.selection, std::move(stop)));
  pipeline::SubjectContext& context = session->context();
  context.progress.begin_stage("install", options.name, 1);
  TBCI_ASSIGN(const model::Build build, pipeline::build_named(context, options.name));
  context.progress.end_stage("installed");
  const runner::Venv venv{build.product.python.parent_path().parent_path()};
  const std::string unpacker = build.product.python.empty() ? std::string() : venv.unpacker();
  if (invocation.json) {
    nlohmann::json json = web::queries::json_of(build);
    json["libtorch"] = build.product.libtorch.string();
    json["python"] = build.product.python.string();
    if (!unpacker.empty()) json["unpacked_by"] = unpacker;
    json["preload"] = nlohmann::json::array();
    for (const auto& library : build.product.preload) json["preload"].push_back(library.string());
    print_json(json);
  } else {
    fmt::print("{} is {}\n  version  {}\n  commit   {}\n  LibTorch {}\n", build.name, to_string(build.state),
               build.product.version, build.product.commit.empty() ? "unknown" : build.product.commit,
               build.product.libtorch.string());
    if (!build.product.python.empty()) fmt::print("  Python   {}\n", build.product.python.string());
    if (!unpacker.empty()) fmt::print("  unpacked by {}\n", unpacker);
    for (const auto& library : build.product.preload) fmt::print("  preload  {}\n", library.string());
  }
  return ExitCode::success;
}

nlohmann::json commits_json(const std::vector<pipeline::RangeCommit>& commits) {
  nlohmann::json rows = nlohmann::json::array();
  for (const auto& [commit, pull_request] : commits) {
    rows.push_back({{"commit", commit.id},
                    {"author", valid_utf8(commit.author)},
                    {"time", to_iso8601(commit.time)},
                    {"subject", valid_utf8(commit.subject)}});
    if (pull_request) rows.back()["pull_request"] = *pull_request;
  }
  return rows;
}

std::string commit_table(const std::vector<pipeline::RangeCommit>& commits) {
  Table table({{"commit"}, {"date"}, {"pull request", Align::right}, {"author"}, {"subject"}});
  for (const auto& [commit, pull_request] : commits) {
    table.add({commit.id.substr(0, 12), to_date(commit.time), pull_request ? fmt::format("#{}", *pull_request) : "",
               one_line(commit.author, 24), one_line(commit.subject, 70)});
  }
  return table.text();
}

void show(const pipeline::NightlyRange& range) {
  const std::string from = one_line(range.from.name, 80), to = one_line(range.to.name, 80);
  const std::string last = range.to.product.commit.substr(0, 12);
  if (range.commits.empty() && range.taken_back.empty()) {
    fmt::print("{} and {} are both of commit {}\n", from, to, last);
    return;
  }
  if (!range.commits.empty()) {
    fmt::print("{}{} after {} ({}), up to {} ({})\n", commit_table(range.commits),
               counted(range.commits.size(), "commit"), from, range.from.product.commit.substr(0, 12), to, last);
  }
  if (!range.taken_back.empty()) {
    fmt::print("\nmain was rewound: {} that {} has, and {} has not\n{}", counted(range.taken_back.size(), "commit"),
               from, to, commit_table(range.taken_back));
  }
}

Result<ExitCode> print_range(const Invocation& invocation, const NightlyOptions& options, std::stop_token stop) {
  TBCI_ASSIGN(const auto session, open_session(invocation, options.selection, std::move(stop)));
  TBCI_ASSIGN(const auto range, pipeline::nightly_range(session->context(), options.from, options.to));
  if (invocation.json) {
    print_json({{"from", {{"name", range.from.name}, {"commit", range.from.product.commit}}},
                {"to", {{"name", range.to.name}, {"commit", range.to.product.commit}}},
                {"commits", commits_json(range.commits)},
                {"taken_back", commits_json(range.taken_back)}});
  } else {
    show(range);
  }
  return ExitCode::success;
}

}  // namespace

void add_nightly(CLI::App& app, Invocation& invocation) {
  auto* command = app.add_subcommand(
      "nightly", "List the nightlies of a subject, install, remove or pin one, or list the commits between two");
  command->require_subcommand(1);
  auto options = std::make_shared<NightlyOptions>();
  auto* list_command = command->add_subcommand(
      "list", "List the published nightlies, oldest first, and whether they were installed and checked");
  list_command->footer(
      "  tbci nightly list --subject demo\n\nDoes not work while the service runs, because the service holds the "
      "state folder (see its page instead).");
  add_subject_option(*list_command, options->selection);
  list_command->callback([&invocation, options] {
    invocation.action = [&invocation, options](std::stop_token stop) {
      return list(invocation, *options, std::move(stop));
    };
  });
  auto* install_command = command->add_subcommand("install", "Install (or build) a nightly");
  install_command->footer(
      "  tbci nightly install 2.13.0.dev20260518\n\nDoes nothing if the nightly is already installed.");
  install_command->add_option("name", options->name, "Nightly, as `tbci nightly list` names it")
      ->required()
      ->type_name("NAME");
  add_subject_option(*install_command, options->selection);
  install_command->callback([&invocation, options] {
    invocation.action = [&invocation, options](std::stop_token stop) {
      return install(invocation, *options, std::move(stop));
    };
  });
  auto* range_command = command->add_subcommand("range", "List the commits of main between two nightlies");
  range_command->footer(
      "  tbci nightly range 2.13.0.dev20260517 2.13.0.dev20260518\n\n"
      "With authors and pull requests, the oldest first; where main was rewound between the two, also the commits\n"
      "that it lost. A nightly of a package index says in its files which commit it is of: one that tbci does not\n"
      "know yet is installed first.");
  range_command->add_option("from", options->from, "The older nightly")->required()->type_name("NAME");
  range_command->add_option("to", options->to, "The newer nightly")->required()->type_name("NAME");
  add_subject_option(*range_command, options->selection);
  range_command->callback([&invocation, options] {
    invocation.action = [&invocation, options](std::stop_token stop) {
      return print_range(invocation, *options, std::move(stop));
    };
  });
  add_nightly_keep(*command, invocation);
}

}  // namespace tbci::daemon
