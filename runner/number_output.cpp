#include "runner/number_output.hpp"

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "runner/json_fields.hpp"
#include "runner/protocol.hpp"
#include "storage/model/measurement.hpp"

namespace tbci::runner {
namespace {

/// A line of the worker protocol: an object with a `type`.
std::optional<nlohmann::json> protocol_line(std::string_view line) {
  if (!line.starts_with('{') || line.size() > longest_protocol_line) return std::nullopt;
  auto parsed = nlohmann::json::parse(line, nullptr, false);
  if (!parsed.is_object() || text_field(parsed, "type").empty()) return std::nullopt;
  return parsed;
}

Result<double> plain_number(std::string_view line) {
  std::string_view digits = line;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) {
    return fail(ErrorKind::failed, "its last line is not a number: '{}'; print only a number there",
                one_line(line, 80));
  }
  if (!std::isfinite(value) || value <= 0)
    return fail(ErrorKind::failed, "it printed {}, but the number must be above 0", one_line(line, 80));
  return value;
}

}  // namespace

Result<double> parse_number_output(std::string_view output) {
  std::vector<double> samples;
  std::string last;
  for (const std::string& line : split(output, '\n')) {
    const std::string_view text = trim(line);
    if (text.empty()) continue;
    last = text;
    const auto parsed = protocol_line(text);
    if (!parsed) continue;
    const std::string type = text_field(*parsed, "type");
    if (type == "error") {
      const std::string message = text_field(*parsed, "message");
      return fail(ErrorKind::failed, "it reported an error: {}", message.empty() ? "without a message" : message);
    }
    if (type != "sample") continue;
    const auto nanoseconds = parsed->find("nanoseconds");
    if (nanoseconds == parsed->end() || !nanoseconds->is_number() || !(nanoseconds->get<double>() > 0))
      return fail(ErrorKind::failed, "a sample line has invalid nanoseconds: {}", one_line(text, 80));
    samples.push_back(nanoseconds->get<double>());
  }
  if (!samples.empty()) return model::median(std::move(samples));
  if (last.empty()) return fail(ErrorKind::failed, "it printed nothing: print a number as the last line");
  return plain_number(last);
}

}  // namespace tbci::runner
