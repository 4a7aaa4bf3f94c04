#include "daemon/cli/nightly_keep.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "daemon/cli/json.hpp"
#include "daemon/cli/selection.hpp"
#include "daemon/cli/table.hpp"
#include "daemon/state_dir.hpp"
#include "pipeline/disk/cleaning.hpp"
#include "pipeline/disk/removal.hpp"

namespace tbci::daemon {

namespace {

struct KeepOptions {
  Selection selection;
  std::string name;
  std::string reason;
  bool dry_run = false;
};

void show(const std::vector<pipeline::StoredThing>& things, const settings::Config& config,
          const KeepOptions& options) {
  if (things.empty()) {
    fmt::print("nothing of {} is on the disk\n", one_line(options.name, 80));
    return;
  }
  Table table({{"kind"}, {"size", Align::right}, {"what"}});
  std::uint64_t bytes = 0;
  for (const pipeline::StoredThing& thing : things) {
    bytes += thing.bytes;
    table.add({std::string(plural_of(thing.kind)), human_bytes(static_cast<double>(thing.bytes)),
               thing.path.lexically_relative(config.service.state).string()});
  }
  fmt::print("{}{} {}\n", table.text(), options.dry_run ? "would remove" : "removed",
             human_bytes(static_cast<double>(bytes)));
}

// Whoever works holds the database's lock, so nothing goes that another program uses.
Result<std::vector<pipeline::StoredThing>> removed_things(const settings::Config& config,
                                                          const settings::SubjectConfig& subject,
                                                          const KeepOptions& options, TimePoint now) {
  const auto access = options.dry_run ? storage::Access::read_only : storage::Access::read_write;
  TBCI_ASSIGN(storage::Database database, storage::Database::open(database_path(config), access));
  storage::Stores stores(database);
  TBCI_ASSIGN(auto things, pipeline::things_of_nightly(stores, config, subject, options.name, now));
  if (options.dry_run) return things;
  for (const pipeline::StoredThing& thing : things) TBCI_TRY(pipeline::remove_thing(thing));
  return things;
}

Result<ExitCode> remove(const Invocation& invocation, const KeepOptions& options) {
  TBCI_ASSIGN(const settings::Config config, load_config(invocation));
  TBCI_ASSIGN(const settings::SubjectConfig* subject, config.subject(options.selection.subject));
  TBCI_ASSIGN(const auto things, removed_things(config, *subject, options, invocation.clock->now()));
  if (!invocation.json) {
    show(things, config, options);
    return ExitCode::success;
  }
  nlohmann::json json = {{"nightly", options.name}, {"removed", nlohmann::json::array()}};
  for (const pipeline::StoredThing& thing : things) {
    json["removed"].push_back(
        {{"kind", std::string(plural_of(thing.kind))}, {"path", thing.path.string()}, {"bytes", thing.bytes}});
  }
  print_json(json);
  return ExitCode::success;
}

// A short change: it needs no lock, so that it can be made while the service runs.
template <typename Change>
Result<ExitCode> change_pin(const Invocation& invocation, const KeepOptions& options, Change change) {
  TBCI_ASSIGN(const settings::Config config, load_config(invocation));
  TBCI_ASSIGN(const settings::SubjectConfig* subject, config.subject(options.selection.subject));
  TBCI_ASSIGN(storage::Database database, storage::Database::open(database_path(config), storage::Access::decisions));
  storage::Stores stores(database);
  TBCI_ASSIGN(const std::string done, change(stores, subject->name));
  if (invocation.json) {
    print_json({{"done", done}});
  } else {
    fmt::print("{}\n", done);
  }
  return ExitCode::success;
}

Result<ExitCode> pin(const Invocation& invocation, const KeepOptions& options) {
  return change_pin(
      invocation, options, [&](storage::Stores& stores, const std::string& subject) -> Result<std::string> {
        TBCI_ASSIGN(const auto build, stores.builds.find(subject, model::BuildKind::nightly, options.name));
        if (!build || build->state != model::BuildState::ready)
          return fail(ErrorKind::usage,
                      "{} is not installed, so there is nothing to keep: `tbci nightly install {}` first",
                      one_line(options.name, 80), one_line(options.name, 80));
        TBCI_TRY(stores.pins.put({.subject = subject,
                                  .nightly = options.name,
                                  .person = person(),
                                  .reason = one_line(options.reason, 500),
                                  .set = invocation.clock->now()}));
        return fmt::format("{} stays on the disk until `tbci nightly unpin {}`", options.name, options.name);
      });
}

Result<ExitCode> unpin(const Invocation& invocation, const KeepOptions& options) {
  return change_pin(invocation, options,
                    [&](storage::Stores& stores, const std::string& subject) -> Result<std::string> {
                      TBCI_ASSIGN(const bool was_pinned, stores.pins.remove(subject, options.name));
                      if (!was_pinned) return fail(ErrorKind::usage, "{} is not pinned", one_line(options.name, 80));
                      return fmt::format("{} may go again when its budget of the disk is spent", options.name);
                    });
}

using KeepAction = Result<ExitCode> (*)(const Invocation&, const KeepOptions&);

CLI::App* add_one(CLI::App& nightly, Invocation& invocation, const std::shared_ptr<KeepOptions>& options,
                  const char* name, const char* what, KeepAction action) {
  auto* command = nightly.add_subcommand(name, what);
  command->add_option("name", options->name, "Nightly, as `tbci nightly list` names it")->required()->type_name("NAME");
  add_subject_option(*command, options->selection);
  command->callback([&invocation, options, action] {
    invocation.action = [&invocation, options, action](const std::stop_token&) { return action(invocation, *options); };
  });
  return command;
}

}  // namespace

void add_nightly_keep(CLI::App& nightly, Invocation& invocation) {
  auto options = std::make_shared<KeepOptions>();
  auto* remove_command = add_one(nightly, invocation, options, "remove", "Remove a nightly from the disk", remove);
  remove_command->add_flag("--dry-run", options->dry_run,
                           "Only show what would be removed; works while the service runs");
  remove_command->footer(
      "  tbci nightly remove 2.13.0.dev20260518\n\n"
      "Its environment (or its build) goes, and what was downloaded of its own wheel; its measurements stay, and it\n"
      "is installed again when something needs it. Refused where the anchor, an open regression, a retest, a night\n"
      "that is not finished or a pin needs it, and while the service runs. Files that other nightlies share stay\n"
      "with these, so less may become free than is shown.");
  auto* pin_command =
      add_one(nightly, invocation, options, "pin", "Keep a nightly, whatever the budget of the disk", pin);
  pin_command->add_option("--reason", options->reason, "Why; kept with your name and the time")->type_name("TEXT");
  pin_command->footer("  tbci nightly pin 2.13.0.dev20260518 --reason \"the release of May\"\n\nThe service may run.");
  add_one(nightly, invocation, options, "unpin", "No longer keep a pinned nightly", unpin)
      ->footer("  tbci nightly unpin 2.13.0.dev20260518\n\nThe service may run.");
}

}  // namespace tbci::daemon
