// Reads a TOML table key by key, so that a misspelt key is found and named.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace tbci::settings {

/// One table of a TOML document. The reader keeps the first error; every later read gives its default, and `finish`
/// returns the error: what, where (file, line, key), and what to do.
/// `${NAME}` in a text is replaced by that environment variable; one that is not set is an error.
class TomlReader {
 public:
  static Result<TomlReader> from_file(const std::string& path);
  static Result<TomlReader> from_text(const std::string& text, const std::string& name);
  TomlReader(TomlReader&&) noexcept;
  TomlReader& operator=(TomlReader&&) noexcept;
  ~TomlReader();

  std::string text(const char* key, const std::string& otherwise);
  /// A text, or a whole number as text; empty where it is missing.
  std::string text_or_integer(const char* key);
  /// A text; an error where it is missing.
  std::string required_text(const char* key);
  bool flag(const char* key, bool otherwise);
  std::int64_t integer(const char* key, std::int64_t otherwise, std::int64_t least, std::int64_t most);
  double number(const char* key, double otherwise, double least, double most);
  /// A number of seconds.
  std::chrono::milliseconds seconds(const char* key, std::chrono::milliseconds otherwise);
  std::vector<std::string> texts(const char* key);
  std::vector<std::vector<std::string>> text_lists(const char* key);
  std::vector<int> integers(const char* key);
  std::vector<std::pair<std::string, std::string>> text_map(const char* key);
  std::vector<std::pair<std::string, std::vector<std::string>>> text_list_map(const char* key);
  bool has(const char* key) const;
  /// The table at `key`; an empty one where there is none.
  TomlReader table(const char* key);
  /// The tables of `[[key]]`.
  std::vector<TomlReader> tables(const char* key);

  /// Records an error at a key, found by the caller.
  void refuse(const char* key, const std::string& why);
  /// The first error of this document (in any table), or the first key that was never read.
  Status finish();

 private:
  struct Document;
  struct Node;
  explicit TomlReader(std::shared_ptr<Node> node);
  std::shared_ptr<Node> node_;
};

}  // namespace tbci::settings
