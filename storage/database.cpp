#include "storage/database.hpp"

#include <sqlite3.h>

#include <utility>

#include "storage/connection.hpp"
#include "storage/exception_guard.hpp"
#include "storage/migrate.hpp"

namespace tbci::storage {

namespace {

using Connection = Database::Connection;

int milliseconds(const OpenOptions& options) {
  return static_cast<int>(options.busy_timeout.count());
}

// SQLite calls this after each `operations_between_calls` of its virtual machine, also within one long statement.
constexpr int operations_between_calls = 100'000;

int call_progress(void* function) {
  (*static_cast<const std::function<void()>*>(function))();
  return 0;  // go on
}

/// While it lives, SQLite calls the function as it works.
class ProgressCalls {
 public:
  ProgressCalls(SQLite::Database& sqlite, const std::function<void()>& function) : sqlite_(sqlite) {
    if (!function) return;
    // SQLite keeps a plain pointer; it is not written through.
    sqlite3_progress_handler(
        sqlite_.getHandle(), operations_between_calls, call_progress,
        const_cast<std::function<void()>*>(&function));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  }
  ~ProgressCalls() { sqlite3_progress_handler(sqlite_.getHandle(), 0, nullptr, nullptr); }
  ProgressCalls(const ProgressCalls&) = delete;
  ProgressCalls& operator=(const ProgressCalls&) = delete;

 private:
  SQLite::Database& sqlite_;
};

Status prepare_for_writing(Connection& connection, const OpenOptions& options) {
  SQLite::Database& sqlite = connection.sqlite;
  TBCI_TRY(version_of(sqlite, connection.path, embedded_migrations()));  // before anything is changed in the file
  if (sqlite.execAndGet("PRAGMA journal_mode = WAL").getString() != "wal") {
    return fail(ErrorKind::machine,
                "the folder of {} has no shared memory (a network file system?): move the "
                "database to a local disk",
                connection.path.string());
  }
  // With WAL, the default of many (NORMAL) may lose the last commits in a power cut. A commit here is a build of hours
  // or a measurement of minutes; waiting a few milliseconds for the disk is cheap.
  sqlite.exec("PRAGMA synchronous = FULL");
  {
    const ProgressCalls calls(sqlite, options.while_migrating);
    TBCI_TRY(migrate(sqlite, connection.path, embedded_migrations()));
  }
  sqlite.exec("PRAGMA foreign_keys = ON");
  return {};
}

// For reading, and for short changes beside a writer: SQLite's own locks keep the two apart.
Status prepare_beside_a_writer(Connection& connection) {
  TBCI_ASSIGN(const int version, version_of(connection.sqlite, connection.path, embedded_migrations()));
  if (connection.access == Access::decisions)
    connection.sqlite.exec("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
  if (version == Database::newest_version()) return {};
  return fail(
      ErrorKind::usage,
      "database {} has version {}, this tbci reads version {}: run `tbci check` or `tbci serve`, which update it",
      connection.path.string(), version, Database::newest_version());
}

/// Ends a transaction or a savepoint: rolled back, unless it was committed before.
class Nesting {
 public:
  explicit Nesting(Connection& connection) : connection_(connection), outermost_(connection.depth == 0) {
    const char* begin = connection_.access == Access::read_only ? "BEGIN" : "BEGIN IMMEDIATE";
    connection_.sqlite.exec(outermost_ ? begin : "SAVEPOINT level");
    ++connection_.depth;
  }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;
  ~Nesting() {
    if (!committed_ && !connection_.transaction_was_lost()) {
      connection_.sqlite.tryExec(outermost_ ? "ROLLBACK" : "ROLLBACK TO level; RELEASE level");
    }
    --connection_.depth;
  }
  void commit() {
    if (connection_.transaction_was_lost()) {
      throw SQLite::Exception("an earlier error ended the transaction", SQLITE_ABORT);
    }
    connection_.sqlite.exec(outermost_ ? "COMMIT" : "RELEASE level");
    committed_ = true;
  }

 private:
  Connection& connection_;
  bool outermost_;
  bool committed_ = false;
};

}  // namespace

bool Database::Connection::transaction_was_lost() const {
  return depth > 0 && sqlite3_get_autocommit(sqlite.getHandle()) != 0;
}

Database::Database(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}
Database::Database(Database&& other) noexcept = default;
Database& Database::operator=(Database&& other) noexcept = default;
Database::~Database() = default;

int Database::newest_version() {
  return embedded_migrations().back().number;
}

Result<Database> Database::open(const std::filesystem::path& path, Access access, const OpenOptions& options) {
  const bool writes = access == Access::read_write;
  std::error_code ignored;
  if (!writes && !std::filesystem::exists(path, ignored)) {
    return fail(ErrorKind::usage, "there is no database {} yet: run `tbci check` first, or give another --state folder",
                path.string());
  }
  std::optional<FileLock> lock;
  if (writes) {
    auto held = FileLock::acquire(path.string() + ".lock");
    if (!held) return fail(std::move(held).error(), fmt::format("cannot open the database {}", path.string()));
    lock = std::move(*held);
  }
  return guarded(path, "open the tables", [&]() -> Result<Database> {
    const int flags = writes                        ? SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE
                      : access == Access::decisions ? SQLite::OPEN_READWRITE
                                                    : SQLite::OPEN_READONLY;
    auto connection = std::make_unique<Connection>(
        Connection{std::move(lock), SQLite::Database(path.string(), flags, milliseconds(options)), path, access});
    TBCI_TRY(writes ? prepare_for_writing(*connection, options) : prepare_beside_a_writer(*connection));
    return Database(std::move(connection));
  });
}

const std::filesystem::path& Database::path() const {
  return connection_->path;
}

Status Database::transaction(const std::function<Status()>& work) {
  std::optional<Nesting> level;
  TBCI_TRY(guarded(path(), "begin a transaction", [&]() -> Status {
    level.emplace(*connection_);
    return {};
  }));
  TBCI_TRY(work());
  return guarded(path(), "commit", [&]() -> Status {
    level->commit();
    return {};
  });
}

Status Database::check() {
  return guarded(path(), "check the tables", [&]() -> Status {
    const std::string complaint = connection_->sqlite.execAndGet("PRAGMA integrity_check(1)").getString();
    if (complaint != "ok") {
      return fail(ErrorKind::damaged, "the database {} is damaged: {}; restore it from a copy", path().string(),
                  complaint);
    }
    SQLite::Statement dangling(connection_->sqlite, "PRAGMA foreign_key_check");
    if (!dangling.executeStep()) return {};
    return fail(ErrorKind::damaged, "the database {} is damaged: row {} of table {} refers to a row that is not in {}",
                path().string(), dangling.getColumn(1).getString(), dangling.getColumn(0).getString(),
                dangling.getColumn(2).getString());
  });
}

}  // namespace tbci::storage
