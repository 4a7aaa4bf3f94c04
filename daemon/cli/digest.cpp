#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "daemon/cli/application.hpp"
#include "daemon/cli/json.hpp"
#include "daemon/state_dir.hpp"
#include "pipeline/night/digest.hpp"

namespace tbci::daemon {

namespace {

struct DigestOptions {
  std::string since;
  bool file = false;
};

void print_digest(const Invocation& invocation, const model::Report& digest) {
  if (invocation.json) return print_json({{"title", digest.title}, {"body", digest.body}, {"id", digest.id}});
  fmt::print("# {}\n\n{}", digest.title, digest.body);
}

// Beside the service, which then delivers it within seconds.
Result<ExitCode> file_it(const Invocation& invocation, const settings::Config& config) {
  if (!config.report.digest.weekday)
    return fail(ErrorKind::usage, "the configuration asks for no digest: set [report.digest] weekday and channels");
  TBCI_ASSIGN(storage::Database database, storage::Database::open(database_path(config), storage::Access::decisions));
  storage::Stores stores(database);
  TBCI_ASSIGN(const auto filed, pipeline::file_due_digest(stores, config, invocation.clock->now()));
  if (!filed) {
    fmt::print(stderr, "nothing to file: the digest that was due last is filed, or no night had begun by then\n");
    return ExitCode::success;
  }
  print_digest(invocation, *filed);
  fmt::print(stderr, "filed as report {}: `tbci serve`, or `tbci report {}`, delivers it\n", filed->id, filed->id);
  return ExitCode::success;
}

Result<ExitCode> print_or_file(const Invocation& invocation, const DigestOptions& options) {
  TBCI_ASSIGN(const settings::Config config, load_config(invocation));
  if (options.file) return file_it(invocation, config);
  std::optional<TimePoint> since;
  if (!options.since.empty()) {
    TBCI_ASSIGN(since, date_from(options.since));
  }
  const TimePoint now = invocation.clock->now();
  if (since && *since >= now) return fail(ErrorKind::usage, "--since {} has not come yet", options.since);
  TBCI_ASSIGN(storage::Database database, storage::Database::open(database_path(config), storage::Access::read_only));
  storage::Stores stores(database);
  TBCI_ASSIGN(const model::Report draft, pipeline::draft_digest(stores, config, since, now));
  print_digest(invocation, draft);
  return ExitCode::success;
}

}  // namespace

void add_digest(CLI::App& app, Invocation& invocation) {
  auto* command = app.add_subcommand("digest", "Print what a week brought: regressed, recovered, open, not measured");
  command->footer(
      "Prints the time since the last digest that was filed, or the last seven days. Sends nothing and works while "
      "the\n"
      "service runs. [report.digest] of the configuration has the service file one each week.\n\n"
      "  tbci digest\n  tbci digest --since 2026-01-01\n  tbci digest --file");
  auto options = std::make_shared<DigestOptions>();
  auto* since = command->add_option("--since", options->since, "First day that counts, in UTC")->type_name("DATE");
  command->add_flag("--file", options->file, "File the digest that was due last, as the service does")->excludes(since);
  command->callback([&invocation, options] {
    invocation.action = [&invocation, options](const std::stop_token&) { return print_or_file(invocation, *options); };
  });
}

}  // namespace tbci::daemon
