#include "storage/migrate.hpp"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Transaction.h>
#include <sqlite3.h>

#include "base/version_order.hpp"
#include "storage/exception_guard.hpp"

namespace tbci::storage {

namespace {

constexpr int application_id = 0x74626369;  // "tbci": what tells our files from another program's

int newest(std::span<const Migration> migrations) {
  return migrations.empty() ? 0 : migrations.back().number;
}

// What SQL cannot say: `version_key(name)`, for the migration that gives names their order.
void version_key_in_sql(sqlite3_context* context, int, sqlite3_value** values) {
  const auto* text = static_cast<const char*>(sqlite3_value_blob(values[0]));  // of a TEXT: its bytes
  const auto size = static_cast<std::size_t>(sqlite3_value_bytes(values[0]));
  const std::string key = version_key(text == nullptr ? std::string_view() : std::string_view(text, size));
  sqlite3_result_text(context, key.data(), static_cast<int>(key.size()),
                      SQLITE_TRANSIENT);  // NOLINT(performance-no-int-to-ptr): as SQLite defines it
}

Status run(SQLite::Database& sqlite, const std::filesystem::path& path, const Migration& migration) {
  SQLite::Transaction transaction(sqlite, SQLite::TransactionBehavior::IMMEDIATE);
  sqlite.exec(std::string(migration.sql));
  SQLite::Statement dangling(sqlite, "PRAGMA foreign_key_check");
  if (dangling.executeStep()) {
    return fail(ErrorKind::failed,
                "migration {} of the database {} leaves dangling references in table {}: report this", migration.name,
                path.string(), dangling.getColumn(0).getString());
  }
  sqlite.exec("PRAGMA user_version = " + std::to_string(migration.number));
  transaction.commit();
  return {};
}

}  // namespace

Result<int> version_of(SQLite::Database& sqlite, const std::filesystem::path& path,
                       std::span<const Migration> migrations) {
  return guarded(path, "read the version", [&]() -> Result<int> {
    const int version = sqlite.execAndGet("PRAGMA user_version").getInt();
    const int owner = sqlite.execAndGet("PRAGMA application_id").getInt();
    const bool empty = sqlite.execAndGet("SELECT count(*) FROM sqlite_schema").getInt() == 0;
    if (owner != application_id && !(empty && version == 0 && owner == 0)) {
      return fail(ErrorKind::usage, "{} is the database of another program: give another file or folder",
                  path.string());
    }
    if (version > newest(migrations)) {
      return fail(ErrorKind::usage,
                  "database {} has version {}, this tbci knows up to {}: use a newer tbci or another --state folder",
                  path.string(), version, newest(migrations));
    }
    return version;
  });
}

Status migrate(SQLite::Database& sqlite, const std::filesystem::path& path, std::span<const Migration> migrations) {
  TBCI_ASSIGN(const int version, version_of(sqlite, path, migrations));
  return guarded(path, "migrate the tables", [&]() -> Status {
    sqlite.createFunction("version_key", 1, true, nullptr, version_key_in_sql);
    sqlite.exec("PRAGMA foreign_keys = OFF");  // so that a migration can rebuild a table that others refer to
    for (const Migration& migration : migrations) {
      if (migration.number > version) TBCI_TRY(run(sqlite, path, migration));
    }
    return {};
  });
}

}  // namespace tbci::storage
