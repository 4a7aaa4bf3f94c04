// What the tests of the stores share.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <chrono>
#include <memory>
#include <string>

#include "base/clock.hpp"
#include "storage/database.hpp"
#include "tests/catch.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::test {

inline TimePoint at(std::int64_t milliseconds) {
  return TimePoint(std::chrono::milliseconds(1'767'000'000'000 + milliseconds));
}

/// The value, or the end of the test with the error.
template <typename T>
T must(Result<T> result) {
  INFO((result ? std::string() : result.error().message));
  REQUIRE(result.has_value());
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

/// The error of something that must fail.
template <typename T>
Error error_of(const Result<T>& result) {
  REQUIRE_FALSE(result.has_value());
  return result.error();
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// A folder with a database, open for writing; reopen() stands for the next start of the program.
class Fixture {
 public:
  Fixture() { reopen(); }
  void reopen() {
    database_.reset();
    database_ = std::make_unique<storage::Database>(must(storage::Database::open(path())));
  }
  storage::Database& database() { return *database_; }
  std::filesystem::path path() const { return folder_ / "tbci.sqlite"; }
  /// Changes the file past the stores and past its constraints, as a broken disk or another program could.
  void tamper(const std::string& sql) {
    SQLite::Database other(path().string(), SQLite::OPEN_READWRITE, 1000);
    other.exec("PRAGMA ignore_check_constraints = ON");
    other.exec(sql);
  }

 private:
  TemporaryDirectory folder_;
  std::unique_ptr<storage::Database> database_;
};

}  // namespace tbci::test
