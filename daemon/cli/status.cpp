#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "daemon/cli/application.hpp"
#include "daemon/cli/disk_use.hpp"
#include "daemon/cli/json.hpp"
#include "daemon/cli/regression_table.hpp"
#include "daemon/state_dir.hpp"
#include "web/queries/json.hpp"
#include "web/queries/queries.hpp"

namespace tbci::daemon {

namespace {

bool is_in_trouble(const web::queries::SubjectView& subject) {
  return !subject.troubled.empty() || !subject.unwatched.empty() || !subject.undelivered.empty() ||
         subject.silent_anchor;
}

Result<nlohmann::json> status_json(storage::Database& database, const web::queries::StatusView& status) {
  nlohmann::json json = web::queries::json_of(status);
  for (const web::queries::SubjectView& subject : status.subjects) {
    TBCI_ASSIGN(const auto regressions, web::queries::regressions_view(database, subject.name, 1));
    json["regressions"][subject.name] = web::queries::json_of(regressions);
    json["improvements"][subject.name] = nlohmann::json::array();
    if (!subject.latest) continue;
    TBCI_ASSIGN(const auto improvements, web::queries::improvements_of_night(database, *subject.latest));
    for (const auto& one : improvements) json["improvements"][subject.name].push_back(web::queries::json_of(one));
  }
  return json;
}

Status print_subject(storage::Database& database, const web::queries::SubjectView& subject) {
  for (const auto& one : subject.undelivered) fmt::print("{}: {}\n", subject.name, web::queries::undelivered_text(one));
  if (!subject.latest) {
    fmt::print("{}: no night checked yet\n", subject.name);
    for (const auto& one : subject.skipped) fmt::print("{}\n", web::queries::skipped_text(one));
    return {};
  }
  const model::Night& night = *subject.latest;
  fmt::print("{}: {} is {}{}, {}\n", subject.name, night.name, to_string(night.stage),
             night.note.empty() ? "" : " (" + one_line(night.note) + ")",
             counted(subject.open_regressions, "open regression"));
  TBCI_ASSIGN(const auto regressions, web::queries::regressions_view(database, subject.name, 1));
  fmt::print("{}", table_of(regressions));
  TBCI_ASSIGN(const auto improvements, web::queries::improvements_of_night(database, night));
  fmt::print("{}", improvement_lines(improvements));
  if (subject.waiting_improvements > 0)
    fmt::print("{} not attributed yet: tbci has not searched for the commit\n",
               counted(subject.waiting_improvements, "improvement"));
  for (const model::TroubledNight& one : subject.troubled) fmt::print("{}\n", web::queries::trouble_text(one));
  for (const auto& one : subject.unwatched) fmt::print("{}\n", web::queries::unwatched_text(one));
  for (const auto& one : subject.skipped) fmt::print("{}\n", web::queries::skipped_text(one));
  if (subject.silent_anchor) fmt::print("{}\n", web::queries::silence_text(*subject.silent_anchor));
  if (subject.unused_anchor) fmt::print("{}\n", web::queries::switched_off_text(*subject.unused_anchor));
  return {};
}

Result<ExitCode> status(const Invocation& invocation) {
  TBCI_ASSIGN(const settings::Config config, load_config(invocation));
  std::vector<std::string> subjects;
  for (const settings::SubjectConfig& subject : config.subjects) subjects.push_back(subject.name);
  // Read-only, so that it works while the service runs.
  TBCI_ASSIGN(storage::Database database, storage::Database::open(database_path(config), storage::Access::read_only));
  TBCI_ASSIGN(const web::queries::StatusView status,
              web::queries::status_view(database, subjects, std::nullopt, invocation.clock->now(), creep_of(config)));
  storage::Stores stores(database);
  TBCI_ASSIGN(const auto things, pipeline::list_things(stores, config, invocation.clock->now()));
  const auto use = pipeline::use_of(things, pipeline::budgets_of(config));
  if (invocation.json) {
    TBCI_ASSIGN(nlohmann::json json, status_json(database, status));
    json["disk"] = json_of(use);
    print_json(json);
  } else {
    for (const web::queries::SubjectView& subject : status.subjects) TBCI_TRY(print_subject(database, subject));
    for (const auto& one : status.undelivered_digests)
      fmt::print("weekly digest: {}\n", web::queries::undelivered_text(one));
    fmt::print("{}", text_of(use));
  }
  const bool trouble = !status.undelivered_digests.empty() || std::ranges::any_of(status.subjects, is_in_trouble);
  return trouble ? ExitCode::negative : ExitCode::success;
}

}  // namespace

void add_status(CLI::App& app, Invocation& invocation) {
  auto* command = app.add_subcommand(
      "status", "Show each subject's latest night, its open regressions, nights in trouble, and sizes on the disk");
  command->footer(
      "  tbci status\n  tbci status --json\n\n"
      "Works while the service runs; the service's page shows what it is doing right now.\n"
      "Exit code 1 if an unfinished night failed in its last try, if tbci gave up one of the last seven nights, if "
      "the\n"
      "last three nights measured nothing beside the anchor, if a report is not delivered, or if ten\n"
      "nights could not tell whether an open regression is gone.");
  command->callback(
      [&invocation] { invocation.action = [&invocation](const std::stop_token&) { return status(invocation); }; });
}

}  // namespace tbci::daemon
