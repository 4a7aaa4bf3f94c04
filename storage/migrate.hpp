// Internal to storage: brings an open database to the version of this program.
#pragma once

#include <filesystem>
#include <span>

#include "base/result.hpp"
#include "storage/migrations.hpp"

namespace SQLite {
class Database;
}

namespace tbci::storage {

/// The version that the database has. An error (kind usage) where it is another program's, or newer than `migrations`
/// lead to.
Result<int> version_of(SQLite::Database& sqlite, const std::filesystem::path& path,
                       std::span<const Migration> migrations);

/// Runs the migrations that are missing, each in a transaction with the version that it leads to: a program killed in
/// the middle finds the version before it. References between tables are checked before each commit.
Status migrate(SQLite::Database& sqlite, const std::filesystem::path& path, std::span<const Migration> migrations);

}  // namespace tbci::storage
