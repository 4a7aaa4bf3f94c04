#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "daemon/cli/application.hpp"
#include "daemon/cli/disk_use.hpp"
#include "daemon/cli/json.hpp"
#include "daemon/cli/table.hpp"
#include "daemon/state_dir.hpp"

namespace tbci::daemon {

namespace {

struct CleanOptions {
  bool dry_run = false;
};

void show(const pipeline::Cleaning& cleaning, const settings::Config& config, bool dry_run) {
  Table table({{"kind"}, {"size", Align::right}, {"last used"}, {"what"}});
  std::uint64_t freed = 0;
  for (const std::size_t i : cleaning.removed) {
    const pipeline::StoredThing& thing = cleaning.things[i];
    freed += thing.bytes;
    table.add({std::string(plural_of(thing.kind)), human_bytes(static_cast<double>(thing.bytes)), to_date(thing.used),
               thing.path.lexically_relative(config.service.state).string()});
  }
  if (cleaning.removed.empty()) {
    if (cleaning.failed.empty()) fmt::print("nothing is over its budget\n");
    return;
  }
  fmt::print("{}", table.text());
  fmt::print("{} {} of {}\n", dry_run ? "would remove" : "removed", human_bytes(static_cast<double>(freed)),
             counted(cleaning.removed.size(), "thing"));
}

// What stays whatever its budget, and why.
std::string kept_text(const pipeline::Cleaning& cleaning, const settings::Config& config) {
  Table table({{"kept"}, {"size", Align::right}, {"what"}, {"why"}});
  for (const pipeline::StoredThing& thing : cleaning.things) {
    if (thing.kept.empty() || thing.remains) continue;
    table.add({std::string(plural_of(thing.kind)), human_bytes(static_cast<double>(thing.bytes)),
               thing.path.lexically_relative(config.service.state).string(), thing.kept});
  }
  return table.text();
}

// Whoever works holds the database's lock, so nothing goes that another program uses.
Result<pipeline::Cleaning> plan_and_carry_out(const settings::Config& config, TimePoint now, bool dry_run) {
  const auto access = dry_run ? storage::Access::read_only : storage::Access::read_write;
  TBCI_ASSIGN(storage::Database database, storage::Database::open(database_path(config), access));
  storage::Stores stores(database);
  TBCI_ASSIGN(pipeline::Cleaning cleaning, pipeline::plan_cleaning(stores, config, now));
  if (!dry_run) pipeline::carry_out(cleaning);
  return cleaning;
}

Result<ExitCode> clean(const Invocation& invocation, const CleanOptions& options) {
  TBCI_ASSIGN(const settings::Config config, load_config(invocation));
  TBCI_ASSIGN(const pipeline::Cleaning cleaning, plan_and_carry_out(config, invocation.clock->now(), options.dry_run));
  std::vector<pipeline::StoredThing> left;
  for (std::size_t i = 0; i < cleaning.things.size(); ++i) {
    if (std::ranges::find(cleaning.removed, i) == cleaning.removed.end()) left.push_back(cleaning.things[i]);
  }
  const auto use = pipeline::use_of(left, pipeline::budgets_of(config));
  if (invocation.json) {
    nlohmann::json json = {
        {"removed", nlohmann::json::array()}, {"kept", nlohmann::json::array()}, {"left", json_of(use)}};
    for (const pipeline::StoredThing& thing : cleaning.things) {
      if (!thing.kept.empty() && !thing.remains)
        json["kept"].push_back({{"path", thing.path.string()}, {"bytes", thing.bytes}, {"why", thing.kept}});
    }
    for (const std::size_t i : cleaning.removed) {
      const pipeline::StoredThing& thing = cleaning.things[i];
      json["removed"].push_back({{"kind", std::string(plural_of(thing.kind))},
                                 {"subject", thing.subject},
                                 {"path", thing.path.string()},
                                 {"bytes", thing.bytes},
                                 {"used", to_iso8601(thing.used)}});
    }
    print_json(json);
  } else {
    show(cleaning, config, options.dry_run);
    if (options.dry_run) fmt::print("{}", kept_text(cleaning, config));
    fmt::print("{}", text_of(use));
  }
  for (const Error& error : cleaning.failed) fmt::print(stderr, "tbci: {}\n", error.message);
  if (!cleaning.failed.empty())
    return fail(ErrorKind::machine, "{} over their budget could not be removed (see above)",
                counted(cleaning.failed.size(), "thing"));
  return ExitCode::success;
}

}  // namespace

void add_clean(CLI::App& app, Invocation& invocation) {
  auto* command = app.add_subcommand("clean", "Remove what is over its disk budget, the longest unused first");
  command->footer(
      "  tbci clean --dry-run\n  tbci clean\n\n"
      "The budgets are in [disk] of the configuration file. Virtual environments, builds, workers, logs and pip's\n"
      "downloads can be made again. What a pin, the anchor, open regressions, retests and the last good nights need\n"
      "stays, and so does what was used within a day. `tbci serve` and `tbci check` do the same before each install "
      "and\n"
      "build.");
  auto options = std::make_shared<CleanOptions>();
  command->add_flag("--dry-run", options->dry_run, "Only show what would be removed; works while the service runs");
  command->callback([&invocation, options] {
    invocation.action = [&invocation, options](const std::stop_token&) { return clean(invocation, *options); };
  });
}

}  // namespace tbci::daemon
