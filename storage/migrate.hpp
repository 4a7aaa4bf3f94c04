// Internal to storage: the numbered SQL files of storage/schema, compiled in, and how an open database gets through
// them to the version of this program.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "base/result.hpp"

namespace SQLite {
class Database;
}

namespace tbci::storage {

/// One change of the schema: takes a database of version `number - 1` to version `number`.
struct Migration {
  int number;
  std::string_view name;  ///< of its file, without `.sql`
  std::string_view sql;
};

/// All migrations, in ascending order without gaps from 1. The build makes the file that defines this.
std::span<const Migration> embedded_migrations();

/// The version that the database has. An error (kind usage) where it is another program's, or newer than `migrations`
/// lead to.
Result<int> version_of(SQLite::Database& sqlite, const std::filesystem::path& path,
                       std::span<const Migration> migrations);

/// Runs the migrations that are missing, each in a transaction with the version that it leads to: a program killed in
/// the middle finds the version before it. References between tables are checked before each commit.
Status migrate(SQLite::Database& sqlite, const std::filesystem::path& path, std::span<const Migration> migrations);

}  // namespace tbci::storage
