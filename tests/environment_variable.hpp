// A variable of this process that is set, or absent, while the test runs; then it is what it was.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include <stdlib.h>

namespace tbci::test {

class EnvironmentVariable {
 public:
  /// Without a value: absent.
  explicit EnvironmentVariable(std::string name, const std::optional<std::string>& value = {})
      : name_(std::move(name)) {
    if (const char* const now = ::getenv(name_.c_str()); now != nullptr) before_ = now;
    set(value);
  }
  ~EnvironmentVariable() { set(before_); }
  EnvironmentVariable(const EnvironmentVariable&) = delete;
  EnvironmentVariable& operator=(const EnvironmentVariable&) = delete;

  void set(const std::optional<std::string>& value) {
    value ? ::setenv(name_.c_str(), value->c_str(), 1) : ::unsetenv(name_.c_str());
  }

 private:
  std::string name_;
  std::optional<std::string> before_;
};

}  // namespace tbci::test
