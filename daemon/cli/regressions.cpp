#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "daemon/cli/application.hpp"
#include "daemon/cli/json.hpp"
#include "daemon/cli/option_values.hpp"
#include "daemon/cli/regression_table.hpp"
#include "daemon/cli/selection.hpp"
#include "daemon/state_dir.hpp"
#include "pipeline/night/regression_decisions.hpp"
#include "web/queries/json.hpp"
#include "web/queries/queries.hpp"

namespace tbci::daemon {

namespace {

struct RegressionsOptions {
  Selection selection;
  std::int64_t id = 0;
  std::string series;
  std::string until;
  std::string reason;
  bool anchor = false;
  bool all = false;
};

Result<std::string> subject_of(const settings::Config& config, const Selection& selection) {
  TBCI_ASSIGN(const settings::SubjectConfig* subject, config.subject(selection.subject));
  return subject->name;
}

Result<ExitCode> list(const Invocation& invocation, const RegressionsOptions& options) {
  TBCI_ASSIGN(const settings::Config config, load_config(invocation));
  TBCI_ASSIGN(const std::string subject, subject_of(config, options.selection));
  TBCI_ASSIGN(storage::Database database, storage::Database::open(database_path(config), storage::Access::read_only));
  constexpr int recent_nights = 30;
  TBCI_ASSIGN(auto view, web::queries::regressions_view(database, subject, options.all ? recent_nights : 0));
  TBCI_ASSIGN(const auto mutes, storage::DecisionStore(database).mutes(subject, invocation.clock->now()));
  if (invocation.json) {
    nlohmann::json json = web::queries::json_of(view);
    json["mutes"] = nlohmann::json::array();
    for (const model::Mute& mute : mutes) {
      json["mutes"].push_back({{"series", to_string(mute.series)},
                               {"until", to_iso8601(mute.until)},
                               {"person", mute.person},
                               {"reason", mute.reason}});
    }
    print_json(json);
    return ExitCode::success;
  }
  const std::string table = table_of(view);
  fmt::print("{}", table.empty() ? "no open regressions\n" : table);
  for (const model::Mute& mute : mutes) {
    fmt::print("{} is muted until {} by {}: {}\n", to_string(mute.series), to_date(mute.until), mute.person,
               mute.reason);
  }
  return ExitCode::success;
}

// Decisions are short changes: they need no lock, so that they can be made while the service runs.
template <typename Change>
Result<ExitCode> decide(const Invocation& invocation, const RegressionsOptions& options, const std::string& done,
                        Change change) {
  TBCI_ASSIGN(const settings::Config config, load_config(invocation));
  TBCI_ASSIGN(storage::Database database, storage::Database::open(database_path(config), storage::Access::decisions));
  storage::Stores stores(database);
  TBCI_TRY(change(config, stores,
                  pipeline::DecisionBy{.person = person(), .reason = options.reason, .now = invocation.clock->now()}));
  if (invocation.json) {
    print_json({{"done", done}});
  } else {
    fmt::print("{}\n", done);
  }
  return ExitCode::success;
}

Result<ExitCode> accept(const Invocation& invocation, const RegressionsOptions& options) {
  const std::string done = fmt::format("regression {} is accepted: its level is now the usual one", options.id);
  return decide(invocation, options, done, [&](const auto&, storage::Stores& stores, const auto& by) {
    return pipeline::accept_regression(stores, options.id, by, options.anchor);
  });
}

Result<ExitCode> dismiss(const Invocation& invocation, const RegressionsOptions& options) {
  const std::string done = fmt::format("regression {} is dismissed", options.id);
  return decide(invocation, options, done, [&](const auto&, storage::Stores& stores, const auto& by) {
    return pipeline::dismiss_regression(stores, options.id, by);
  });
}

Result<ExitCode> reopen(const Invocation& invocation, const RegressionsOptions& options) {
  const std::string done = fmt::format(
      "regression {} is open again. If no issue names it yet, `tbci serve` or `tbci check --nightly NAME` searches for "
      "its commit.",
      options.id);
  return decide(invocation, options, done, [&](const auto&, storage::Stores& stores, const auto& by) {
    return pipeline::reopen_regression(stores, options.id, by);
  });
}

Result<ExitCode> mute(const Invocation& invocation, const RegressionsOptions& options) {
  const auto series = model::series_from(options.series);
  if (!series) return fail(series.error(), "mute");
  const auto until = date_from(options.until);
  if (!until) return fail(until.error(), "--until");
  const std::string done = fmt::format("{} is muted until {}", options.series, options.until);
  return decide(invocation, options, done, [&](const auto& config, storage::Stores& stores, const auto& by) -> Status {
    TBCI_ASSIGN(const std::string subject, subject_of(config, options.selection));
    return pipeline::mute_series(stores, subject, *series, *until, by);
  });
}

using DecisionAction = Result<ExitCode> (*)(const Invocation&, const RegressionsOptions&);

void on_call(CLI::App& command, Invocation& invocation, const std::shared_ptr<RegressionsOptions>& options,
             DecisionAction action) {
  command.callback([&invocation, options, action] {
    invocation.action = [&invocation, options, action](std::stop_token) { return action(invocation, *options); };
  });
}

CLI::App* add_decision(CLI::App& parent, const std::shared_ptr<RegressionsOptions>& options, const char* name,
                       const char* what) {
  auto* command = parent.add_subcommand(name, what);
  command->add_option("id", options->id, "Number of the regression")
      ->required()
      ->type_name("ID")
      ->check(whole_number(1));
  command->add_option("--reason", options->reason, "Why; kept with your name and the time")
      ->required()
      ->type_name("TEXT");
  return command;
}

}  // namespace

void add_regressions(CLI::App& app, Invocation& invocation) {
  auto* command = app.add_subcommand("regressions", "List regressions, and decide what becomes of them");
  command->require_subcommand(1);
  command->footer(
      "A regression stays open until three nights measured that it is gone, or until a person accepts or dismisses\n"
      "it. The service may run meanwhile.\n\n"
      "  tbci regressions list\n"
      "  tbci regressions accept 12 --reason \"the price of the new checks\"\n"
      "  tbci regressions mute dlrm/cpu-infer/time --until 2026-12-24 --reason \"its data set is being moved\"");
  auto options = std::make_shared<RegressionsOptions>();
  auto* list_command = command->add_subcommand("list", "List open regressions, and the series that are muted");
  add_subject_option(*list_command, options->selection);
  list_command->add_flag("--all", options->all, "Also list closed regressions of the last 30 nights");
  on_call(*list_command, invocation, options, list);
  auto* accept_command = add_decision(*command, options, "accept", "Accept the change: it is the new level");
  accept_command->add_flag("--anchor", options->anchor,
                           "Also accept what crept up to that night, for this series alone");
  on_call(*accept_command, invocation, options, accept);
  on_call(*add_decision(*command, options, "dismiss", "Close it as a false alarm"), invocation, options, dismiss);
  on_call(*add_decision(*command, options, "reopen", "Open it again"), invocation, options, reopen);
  auto* mute_command = command->add_subcommand("mute", "Neither search nor report regressions of a series for a time");
  add_subject_option(*mute_command, options->selection);
  mute_command->add_option("series", options->series, "benchmark/configuration/metric")
      ->required()
      ->type_name("SERIES");
  mute_command->add_option("--until", options->until, "The first day on which it counts again, UTC")
      ->required()
      ->type_name("DATE");
  mute_command->add_option("--reason", options->reason, "Why; kept with your name and the time")
      ->required()
      ->type_name("TEXT");
  on_call(*mute_command, invocation, options, mute);
}

}  // namespace tbci::daemon
