// Internal to storage: SQL statements with bound values, and rows that read themselves into the vocabulary. All of it
// throws exceptions of SQLiteCpp: use it inside guarded().
#pragma once

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Statement.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "storage/database.hpp"

namespace tbci::storage {

/// Reads the columns of a row one after the other. What it cannot read it notes, and finish() gives the first such
/// complaint with the name of the table and the row: a row that another program changed is an error, never a crash.
class Row {
 public:
  /// The row's first column is what names it.
  Row(SQLite::Statement& statement, std::string_view table) : statement_(statement), table_(table) {}

  std::int64_t integer() { return next().getInt64(); }
  int small_integer();
  double real();  ///< NULL: not a number
  std::string text() { return next().getString(); }
  TimePoint time() { return TimePoint(std::chrono::milliseconds(integer())); }
  std::optional<std::int64_t> optional_integer();
  std::optional<double> optional_real();
  std::optional<TimePoint> optional_time();
  std::optional<std::string> optional_text();
  std::vector<std::string> strings();  ///< of a JSON array
  std::vector<std::filesystem::path> paths();
  std::map<std::string, std::string> string_map();  ///< of a JSON object
  /// A word of the vocabulary: `row.word(model::stage_from)`.
  template <typename Value>
  Value word(Result<Value> (*parse)(std::string_view)) {
    return take(parse(text()));
  }
  /// The value of something parsed, or a default with a complaint.
  template <typename Value>
  Value take(Result<Value> parsed) {
    if (parsed) return std::move(*parsed);
    complain(parsed.error().message);
    return Value{};
  }
  template <typename Value>
  Result<Value> finish(Value value) {
    if (error_.empty()) return value;
    return fail(ErrorKind::failed, "{}", error_);
  }

 private:
  SQLite::Column next() { return statement_.getColumn(column_++); }
  void complain(const std::string& what);

  SQLite::Statement& statement_;
  std::string_view table_;
  int column_ = 0;
  std::string error_;
};

/// A JSON array of strings. Throws where a string is not UTF-8.
std::string to_json(const std::vector<std::string>& strings);
Result<std::vector<std::string>> strings_from_json(std::string_view text);
/// A JSON object of strings. Bytes that are not UTF-8 are replaced.
std::string to_json(const std::map<std::string, std::string>& strings);
Result<std::map<std::string, std::string>> string_map_from_json(std::string_view text);

class Query {
 public:
  Query(Database& database, const std::string& sql);
  ~Query();
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;

  /// The values of the statement's `?`, from the first not yet bound.
  template <typename... Values>
  Query& bind(const Values&... values) {
    (bind_one(values), ...);
    return *this;
  }
  /// Binary data, for samples.
  Query& bind_blob(std::string_view bytes);
  /// Runs it to its end; the number of rows that it changed.
  int execute();
  /// Runs it for writing one row of that id; an error where there is none.
  Status execute_for(std::string_view what, std::int64_t id);
  /// The next row, or false.
  bool next() { return statement_->executeStep(); }
  Row row(std::string_view table) { return Row(*statement_, table); }

  /// Every row through `read`.
  template <typename Value>
  Result<std::vector<Value>> all(std::string_view table, Result<Value> (*read)(Row)) {
    std::vector<Value> values;
    while (next()) {
      TBCI_ASSIGN(Value value, read(row(table)));
      values.push_back(std::move(value));
    }
    return values;
  }
  /// The first row, if there is one.
  template <typename Value>
  Result<std::optional<Value>> first(std::string_view table, Result<Value> (*read)(Row)) {
    if (!next()) return std::optional<Value>{};
    TBCI_ASSIGN(Value value, read(row(table)));
    return std::optional<Value>(std::move(value));
  }
  /// The first row; an error where there is none.
  template <typename Value>
  Result<Value> only(std::string_view table, std::int64_t id, Result<Value> (*read)(Row)) {
    if (!next()) return none(table, id);
    return read(row(table));
  }

 private:
  void bind_one(std::int64_t value) { statement_->bind(++bound_, value); }
  void bind_one(int value) { statement_->bind(++bound_, value); }
  void bind_one(double value) { statement_->bind(++bound_, value); }  // NaN becomes NULL
  void bind_one(const std::string& value) { statement_->bind(++bound_, value); }
  void bind_one(std::string_view value) { bind_one(std::string(value)); }
  void bind_one(const char* value) { bind_one(std::string(value)); }
  void bind_one(TimePoint value) { bind_one(std::int64_t{value.time_since_epoch().count()}); }
  void bind_one(const std::vector<std::string>& value) { bind_one(to_json(value)); }
  template <typename Value>
  void bind_one(const std::optional<Value>& value) {
    if (value) {
      bind_one(*value);
    } else {
      statement_->bind(++bound_);
    }
  }
  tl::unexpected<Error> none(std::string_view table, std::int64_t id) const;

  Database& database_;
  std::unique_ptr<SQLite::Statement> statement_;  // of the connection's cache, and given back to it
  int bound_ = 0;
};

/// The id of the last inserted row.
std::int64_t last_id(Database& database);

}  // namespace tbci::storage
