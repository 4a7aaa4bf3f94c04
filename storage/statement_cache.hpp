// Internal to storage: prepared statements that are used again. Preparing one costs about as much as running it.
#pragma once

#include <SQLiteCpp/Statement.h>

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>

namespace tbci::storage {

/// Of one connection, and used where that is: by one thread at a time.
class StatementCache {
 public:
  /// A statement of that text, ready for values. It is prepared where none is free.
  std::unique_ptr<SQLite::Statement> take(SQLite::Database& sqlite, const std::string& sql);
  /// Takes it back, without its values and without the locks that a started statement holds.
  void give_back(std::unique_ptr<SQLite::Statement> statement) noexcept;
  std::size_t size() const { return free_.size(); }

 private:
  std::unordered_map<std::string, std::unique_ptr<SQLite::Statement>> free_;
};

}  // namespace tbci::storage
