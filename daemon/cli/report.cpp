#include <CLI/CLI.hpp>
#include <limits>
#include <nlohmann/json.hpp>

#include "daemon/cli/application.hpp"
#include "daemon/cli/json.hpp"
#include "daemon/cli/open_page.hpp"
#include "daemon/cli/option_values.hpp"
#include "daemon/cli/table.hpp"
#include "daemon/state_dir.hpp"
#include "github/digest.hpp"
#include "pipeline/night/delivering.hpp"
#include "web/queries/json.hpp"
#include "web/queries/queries.hpp"

namespace tbci::daemon {

namespace {

struct ReportOptions {
  std::int64_t id = 0;
  bool dry_run = false;
  bool again = false;
  bool open = false;
};

// Those of the configured subjects, then the digests, whose subject is empty.
std::vector<std::string> subjects_of_reports(const settings::Config& config) {
  std::vector<std::string> subjects;
  for (const settings::SubjectConfig& subject : config.subjects) subjects.push_back(subject.name);
  subjects.emplace_back();
  return subjects;
}

Result<ExitCode> list(const Invocation& invocation, const settings::Config& config) {
  TBCI_ASSIGN(storage::Database database, storage::Database::open(database_path(config), storage::Access::read_only));
  storage::ReportStore reports(database);
  nlohmann::json json = nlohmann::json::array();
  Table table({{"id", Align::right}, {"subject"}, {"created"}, {"state"}, {"title"}});
  for (const std::string& subject : subjects_of_reports(config)) {
    constexpr int all = std::numeric_limits<int>::max();
    TBCI_ASSIGN(const auto filed, reports.list(subject, all));
    for (const model::Report& report : filed) {
      const bool digest = github::is_digest(report);
      const std::string state = digest ? "" : report.open ? "open" : "over";
      table.add({std::to_string(report.id), digest ? "(digest)" : report.subject, to_iso8601(report.created), state,
                 report.title});
      json.push_back({{"id", report.id},
                      {"subject", report.subject},
                      {"created", to_iso8601(report.created)},
                      {"title", report.title},
                      {"open", report.open},
                      {"digest", digest}});
    }
  }
  if (invocation.json) print_json(json);
  if (!invocation.json) fmt::print("{}", table.empty() ? "no reports yet\n" : table.text());
  return ExitCode::success;
}

Result<ExitCode> show(const Invocation& invocation, const settings::Config& config, std::int64_t id, bool dry_run) {
  TBCI_ASSIGN(storage::Database database, storage::Database::open(database_path(config), storage::Access::read_only));
  TBCI_ASSIGN(const auto found, web::queries::report_view(database, id));
  if (!found) return fail(ErrorKind::usage, "no report {}: `tbci report` lists all", id);
  if (invocation.json) {
    nlohmann::json json = web::queries::json_of(*found);
    if (dry_run) json["preview"] = pipeline::github_preview(config, found->report);
    print_json(json);
    return ExitCode::success;
  }
  fmt::print("# {}\n\n{}\n", found->report.title, found->report.body);
  TBCI_ASSIGN(const auto notes, storage::ReportStore(database).notes_after(id, 0));
  for (const model::ReportNote& note : notes) fmt::print("\n## {}\n\n{}\n", to_iso8601(note.made), note.text);
  if (!found->report.rest.empty()) fmt::print("\n## The rest\n\n{}\n", found->report.rest);
  if (dry_run) fmt::print(stderr, "{}", pipeline::github_preview(config, found->report));
  for (const model::Delivery& delivery : found->deliveries) {
    fmt::print(stderr, "{}: {} {}\n", delivery.channel, to_string(delivery.state),
               delivery.reference.empty() ? delivery.error : delivery.reference);
  }
  return ExitCode::success;
}

Result<ExitCode> open_it(const settings::Config& config, std::int64_t id) {
  std::string place;
  {
    TBCI_ASSIGN(storage::Database database, storage::Database::open(database_path(config), storage::Access::read_only));
    TBCI_ASSIGN(const auto found, web::queries::report_view(database, id));
    if (!found) return fail(ErrorKind::usage, "no report {}: `tbci report` lists all", id);
    TBCI_ASSIGN(place, place_of(id, found->deliveries));
  }
  open_place(place);
  return ExitCode::success;
}

// Beside the service, which then delivers it within seconds.
Status make_due(const settings::Config& config, std::int64_t id, TimePoint now) {
  TBCI_ASSIGN(storage::Database database, storage::Database::open(database_path(config), storage::Access::decisions));
  TBCI_ASSIGN(const int due, storage::ReportStore(database).again(id, now));
  if (due == 0) fmt::print(stderr, "report {} is delivered, or is not there: nothing is sent again\n", id);
  return {};
}

Result<ExitCode> report(const Invocation& invocation, const ReportOptions& options, std::stop_token stop) {
  TBCI_ASSIGN(settings::Config config, load_config(invocation));
  if (options.id == 0) return list(invocation, config);
  if (options.again) TBCI_TRY(make_due(config, options.id, invocation.clock->now()));
  if (!options.dry_run) {
    const auto state = StateDir::open(config, *invocation.clock);
    if (!state && state.error().kind != ErrorKind::transient) return pass_on(state.error());
    if (!state)
      fmt::print(stderr, "not delivered now: another process holds the state folder and delivers the reports\n");
    if (state)
      TBCI_TRY(pipeline::deliver_reports((*state)->stores(), (*state)->config(), (*state)->clock(), std::move(stop)));
  }
  return options.open ? open_it(config, options.id) : show(invocation, config, options.id, options.dry_run);
}

}  // namespace

void add_report(CLI::App& app, Invocation& invocation) {
  auto* command = app.add_subcommand("report", "List reports, or show one and deliver what is still in the outbox");
  command->footer(
      "Without an ID, lists all reports. With an ID, delivers what is due in the outbox, then shows the report's text\n"
      "and where it was delivered. With --dry-run, nothing is delivered, and what the report would bring in on GitHub\n"
      "(labels, assignees, a mention, a comment on the culprit's pull request) is shown. With --again, what a channel "
      "refused,\n"
      "or what waits for its next attempt, is due now, as after a corrected token. With --open, shows the issue's "
      "page,\n"
      "or the file, with xdg-open; prints where it is on a machine without a display.\n\n"
      "  tbci report\n  tbci report 3 --dry-run\n  tbci report 3 --again\n  tbci report 3 --open");
  auto options = std::make_shared<ReportOptions>();
  auto* id = command->add_option("id", options->id, "Number of the report")->type_name("ID")->check(whole_number(1));
  command->add_flag("--dry-run", options->dry_run, "Show the report without delivering anything");
  command->add_flag("--again", options->again, "Send what the channel refused, or what waits, now")->needs(id);
  command->add_flag("--open", options->open, "Show the issue's page, or the file, in place of the text")->needs(id);
  command->callback([&invocation, options] {
    invocation.action = [&invocation, options](std::stop_token stop) {
      return report(invocation, *options, std::move(stop));
    };
  });
}

}  // namespace tbci::daemon
