#include "tests/bench/thousand_nights/mortality.hpp"

#include <sqlite3.h>

#include "storage/connection.hpp"

namespace tbci::thousand {

void Mortality::watch(storage::Database& database) {
  const auto hook = [](void* self) -> int {
    return static_cast<Mortality*>(self)->pass() ? 1 : 0;  // 1: SQLite rolls back
  };
  sqlite3_commit_hook(database.connection().sqlite.getHandle(), hook, this);
}

}  // namespace tbci::thousand
