// Internal to storage: the connection of a Database.
#pragma once

#include <SQLiteCpp/Database.h>

#include <filesystem>
#include <optional>

#include "base/file.hpp"
#include "storage/database.hpp"
#include "storage/statement_cache.hpp"

namespace tbci::storage {

struct Database::Connection {
  std::optional<FileLock> lock;  ///< before `sqlite`, so that it is released last
  SQLite::Database sqlite;
  std::filesystem::path path;
  Access access = Access::read_write;
  int depth = 0;                ///< of nested transactions
  StatementCache statements{};  ///< after `sqlite`, so that they are finalised before it is closed

  /// SQLite rolls a whole transaction back by itself on some errors (no space, for one). What comes after would then
  /// be committed on its own.
  bool transaction_was_lost() const;
};

}  // namespace tbci::storage
