// Writes JSON objects of one line. Whatever bytes go in, valid UTF-8 comes out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tbci::suite {

// `text` between quotes, escaped. Bytes that are not UTF-8 become U+FFFD, one for each.
std::string json_string(std::string_view text);

class JsonObject {
 public:
  JsonObject& add(std::string_view name, std::string_view value);
  JsonObject& add(std::string_view name, const char* value) { return add(name, std::string_view(value)); }
  JsonObject& add(std::string_view name, std::int64_t value);
  JsonObject& add(std::string_view name, int value) { return add(name, static_cast<std::int64_t>(value)); }
  JsonObject& add(std::string_view name, std::uint64_t value);
  JsonObject& add(std::string_view name, double value);  // null if not finite
  JsonObject& add(std::string_view name, const std::vector<std::string_view>& values);
  JsonObject& add(std::string_view name, const JsonObject& value);

  std::string text() const { return "{" + fields_ + "}"; }

 private:
  JsonObject& raw(std::string_view name, std::string_view value);

  std::string fields_;
};

}  // namespace tbci::suite
