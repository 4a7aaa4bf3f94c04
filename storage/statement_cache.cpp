#include "storage/statement_cache.hpp"

#include <utility>

namespace tbci::storage {

namespace {

// More texts than storage has: only texts that are made of values could reach it.
constexpr std::size_t most_statements = 500;

}  // namespace

std::unique_ptr<SQLite::Statement> StatementCache::take(SQLite::Database& sqlite, const std::string& sql) {
  const auto found = free_.find(sql);
  if (found == free_.end()) return std::make_unique<SQLite::Statement>(sqlite, sql);
  auto statement = std::move(found->second);
  free_.erase(found);
  return statement;
}

void StatementCache::give_back(std::unique_ptr<SQLite::Statement> statement) noexcept {
  statement->tryReset();  // its error, if there is one, was reported by the step that failed
  statement->clearBindings();
  if (free_.size() >= most_statements) free_.clear();
  const std::string& sql = statement->getQuery();
  free_.try_emplace(sql, std::move(statement));  // where the same text was in use twice, one is enough
}

}  // namespace tbci::storage
