#include "daemon/messenger.hpp"

#include <algorithm>
#include <system_error>

#include "base/file.hpp"
#include "base/log.hpp"
#include "daemon/deliveries.hpp"
#include "daemon/state_dir.hpp"
#include "pipeline/night/delivering.hpp"
#include "storage/stores.hpp"

namespace tbci::daemon {

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds between_looks_for_database{10};

// One messenger at a time: two would both find that an issue is not there yet.
Result<FileLock> be_the_messenger(const settings::Config& config) {
  if (!config.report.messenger) {
    return fail(
        ErrorKind::usage,
        "the configuration asks for no messenger, so whoever measures delivers too: set [report] messenger = true");
  }
  return FileLock::acquire(config.service.state / "deliver.lock");
}

Result<storage::Database> open_outbox(const settings::Config& config) {
  return storage::Database::open(database_path(config), storage::Access::decisions);
}

// The service makes the file, and brings one of an older version up to date.
Result<storage::Database> wait_for_outbox(const settings::Config& config, const Clock& clock,
                                          const std::stop_token& stop) {
  bool told = false;
  while (true) {
    auto database = open_outbox(config);
    if (database || database.error().kind != ErrorKind::usage) return database;
    if (!told) log::info("waiting for `tbci serve`, which makes or updates the database: {}", database.error().message);
    told = true;
    if (!clock.sleep_for(between_looks_for_database, stop))
      return fail(ErrorKind::interrupted, "stopped while waiting for the database");
  }
}

}  // namespace

Status share_with_messenger(const settings::Config& config) {
  if (!config.report.messenger) return {};
  // SQLite makes the other two like the first; but a killed process may have left older ones.
  for (const char* ending : {"", "-wal", "-shm"}) {
    const fs::path path = database_path(config).string() + ending;
    std::error_code error;
    fs::permissions(path, fs::perms::group_read | fs::perms::group_write, fs::perm_options::add, error);
    if (error && error != std::errc::no_such_file_or_directory) {
      return fail(ErrorKind::machine, "cannot let the messenger's group write {}: {}: run tbci as the file's owner",
                  path.string(), error.message());
    }
  }
  return {};
}

bool shares_token(const settings::Config& config) {
  const auto used = config.report.used_channels();
  const auto has_secret = [](const std::string& channel) { return channel == "github" || channel == "webhook"; };
  return !config.report.messenger && std::any_of(used.begin(), used.end(), has_secret);
}

Result<github::OutboxSummary> deliver_once(const settings::Config& config, const Clock& clock, std::stop_token stop) {
  TBCI_ASSIGN(const FileLock lock, be_the_messenger(config));
  TBCI_ASSIGN(storage::Database database, open_outbox(config));
  storage::Stores stores(database);
  pipeline::OpenChannels channels(config, clock, pipeline::Deliverer::messenger);
  TBCI_ASSIGN(const auto summary, channels.deliver_due(stores, stop));
  TBCI_TRY(channels.listen(stores, stop));
  return summary;
}

Status deliver_until_stopped(const settings::Config& config, const Clock& clock, std::stop_token stop) {
  TBCI_ASSIGN(const FileLock lock, be_the_messenger(config));
  auto database = wait_for_outbox(config, clock, stop);
  if (!database && database.error().kind == ErrorKind::interrupted) return {};
  if (!database) return pass_on(database.error());
  return deliver_for_ever(*database, config, clock, pipeline::Deliverer::messenger, stop);
}

}  // namespace tbci::daemon
