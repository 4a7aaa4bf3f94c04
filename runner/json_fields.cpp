#include "runner/json_fields.hpp"

#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace tbci::runner {

using nlohmann::json;

std::optional<std::int64_t> integer_field(const json& line, const char* name, std::int64_t least, std::int64_t most) {
  const auto found = line.find(name);
  if (found == line.end() || !found->is_number_integer()) return std::nullopt;
  if (found->is_number_unsigned() && found->get<std::uint64_t>() > static_cast<std::uint64_t>(most))
    return std::nullopt;
  const auto value = found->get<std::int64_t>();
  return value >= least && value <= most ? std::optional(value) : std::nullopt;
}

std::string text_field(const json& line, const char* name, std::size_t length) {
  const auto found = line.find(name);
  const bool is_text = found != line.end() && found->is_string();
  return is_text ? one_line(found->get_ref<const std::string&>(), length) : std::string();
}

}  // namespace tbci::runner
