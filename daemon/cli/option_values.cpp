#include "daemon/cli/option_values.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/text.hpp"

namespace tbci::daemon {

namespace {

// A CLI11 validator returns an error message, or an empty string for a valid value.
std::string refusal(const std::string& wanted, const std::string& value) {
  return fmt::format("must be {}, not '{}'", wanted, one_line(value, 40));
}

template <typename Number>
std::optional<Number> parsed_number(const std::string& text) {
  Number parsed{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(parsed) : std::nullopt;
}

template <typename Number>
CLI::Validator in_range(const std::string& kind, Number least, Number most, bool bounded) {
  const std::string range = bounded ? fmt::format("from {} to {}", least, most) : fmt::format("of at least {}", least);
  const auto check = [=](const std::string& value) -> std::string {
    const auto parsed = parsed_number<Number>(value);
    const bool valid = parsed && *parsed >= least && *parsed <= most && std::isfinite(static_cast<double>(*parsed));
    const bool too_long = !parsed && !value.empty() && value.find_first_not_of("0123456789") == std::string::npos;
    if (too_long) return fmt::format("has too many digits: '{}'", one_line(value, 40));
    return valid ? "" : refusal(fmt::format("{} {}", kind, range), value);
  };
  const std::string shown = bounded ? fmt::format("{}..{}", least, most) : fmt::format("{}..", least);  // in --help
  return CLI::Validator(check, shown);
}

}  // namespace

CLI::Validator whole_number(std::int64_t least, std::int64_t most) {
  return in_range("a whole number", least, most, most != no_most_whole);
}

CLI::Validator real_number(double least, double most) {
  return in_range("a number", least, most, std::isfinite(most));
}

CLI::Validator one_of(std::vector<std::string> words) {
  const std::string list = join(words, " or ");
  const auto check = [words = std::move(words), list](const std::string& value) -> std::string {
    return std::ranges::find(words, value) != words.end() ? "" : refusal(list, value);
  };
  return CLI::Validator(check, list);
}

}  // namespace tbci::daemon
