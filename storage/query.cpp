#include "storage/query.hpp"

#include <sqlite3.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "storage/connection.hpp"

namespace tbci::storage {

int Row::small_integer() {
  const std::int64_t value = integer();
  if (value >= std::numeric_limits<int>::min() && value <= std::numeric_limits<int>::max()) {
    return static_cast<int>(value);
  }
  complain(fmt::format("{} is out of range", value));
  return 0;
}

double Row::real() {
  return optional_real().value_or(std::numeric_limits<double>::quiet_NaN());
}

std::optional<std::int64_t> Row::optional_integer() {
  const SQLite::Column column = next();
  return column.isNull() ? std::nullopt : std::optional<std::int64_t>(column.getInt64());
}

std::optional<double> Row::optional_real() {
  const SQLite::Column column = next();
  return column.isNull() ? std::nullopt : std::optional<double>(column.getDouble());
}

std::optional<TimePoint> Row::optional_time() {
  const auto value = optional_integer();
  return value ? std::optional(TimePoint(std::chrono::milliseconds(*value))) : std::nullopt;
}

std::optional<std::string> Row::optional_text() {
  const SQLite::Column column = next();
  return column.isNull() ? std::nullopt : std::optional(column.getString());
}

std::vector<std::string> Row::strings() {
  return take(strings_from_json(text()));
}

std::vector<std::filesystem::path> Row::paths() {
  const auto texts = strings();
  return {texts.begin(), texts.end()};
}

std::map<std::string, std::string> Row::string_map() {
  return take(string_map_from_json(text()));
}

void Row::complain(const std::string& what) {
  if (!error_.empty()) return;
  error_ = fmt::format("damaged row {} of table {} in the database: {}: {}", statement_.getColumn(0).getString(),
                       table_, statement_.getColumnName(column_ - 1), what);
}

std::string to_json(const std::vector<std::string>& strings) {
  return nlohmann::json(strings).dump();
}

Result<std::vector<std::string>> strings_from_json(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  std::vector<std::string> strings;
  bool good = json.is_array();
  if (good) {
    for (const auto& element : json) {
      good = good && element.is_string();
      if (good) strings.push_back(element.get<std::string>());
    }
  }
  if (!good) return fail(ErrorKind::failed, "'{}' is not a JSON array of strings", one_line(text, 60));
  return strings;
}

std::string to_json(const std::map<std::string, std::string>& strings) {
  return nlohmann::json(strings).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Result<std::map<std::string, std::string>> string_map_from_json(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  std::map<std::string, std::string> strings;
  bool good = json.is_object();
  if (good) {
    for (const auto& [name, value] : json.items()) {
      good = good && value.is_string();
      if (good) strings.emplace(name, value.get<std::string>());
    }
  }
  if (!good) return fail(ErrorKind::failed, "'{}' is not a JSON object of strings", one_line(text, 60));
  return strings;
}

Query::Query(Database& database, const std::string& sql)
    : database_(database), statement_(database.connection().statements.take(database.connection().sqlite, sql)) {
  if (database.connection().transaction_was_lost()) {
    throw SQLite::Exception("an earlier error ended the transaction", SQLITE_ABORT);
  }
}

Query::~Query() {
  database_.connection().statements.give_back(std::move(statement_));
}

int Query::execute() {
  return statement_->exec();
}

Status Query::execute_for(std::string_view what, std::int64_t id) {
  if (execute() == 1) return {};
  return none(what, id);
}

tl::unexpected<Error> Query::none(std::string_view table, std::int64_t id) const {
  const std::string_view where_to_look = table == "regression" ? ": `tbci regressions list --all` lists them" : "";
  return fail(ErrorKind::usage, "there is no {} {} in the database {}{}", table, id, database_.path().string(),
              where_to_look);
}

Query& Query::bind_blob(std::string_view bytes) {
  statement_->bind(++bound_, bytes.data(), static_cast<int>(bytes.size()));
  return *this;
}

std::int64_t last_id(Database& database) {
  return database.connection().sqlite.getLastInsertRowid();
}

}  // namespace tbci::storage
