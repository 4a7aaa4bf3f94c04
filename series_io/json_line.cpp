#include "series_io/json_line.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "series_io/json_handler.hpp"
#include "storage/model/measurement.hpp"

namespace tbci::series_io {

namespace {

constexpr std::array<std::string_view, 3> not_numbers = {"-Infinity", "Infinity", "NaN"};

/// The same line with `null` where a program wrote a number that JSON does not have.
std::string with_null(std::string_view line) {
  std::string out;
  out.reserve(line.size() + 64);
  bool in_text = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (in_text && c == '\\' && i + 1 < line.size()) {
      out += line.substr(i++, 2);
      continue;
    }
    if (c == '"') in_text = !in_text;
    const auto word = in_text ? not_numbers.end() : std::ranges::find_if(not_numbers, [&](std::string_view one) {
      return line.substr(i).starts_with(one);
    });
    if (word == not_numbers.end()) {
      out += c;
    } else {
      out += "null";
      i += word->size() - 1;
    }
  }
  return out;
}

bool has_not_number(std::string_view line) {
  return line.find("NaN") != std::string_view::npos || line.find("Infinity") != std::string_view::npos;
}

NightValue finished(RawNight&& raw, model::Metric metric) {
  NightValue night;
  night.build = std::move(raw.build);
  if (raw.samples == 0) {
    night.reason = "no samples";
    return night;
  }
  for (const auto& suspicious : {raw.not_finite, raw.not_positive}) {
    if (!suspicious) continue;
    const std::string why = why_unusable(metric, suspicious->value);
    if (why.empty()) continue;
    night.reason = fmt::format("sample {} is impossible: {}", suspicious->position + 1, why);
    night.is_problem = true;
    return night;
  }
  night.value = raw.median;
  return night;
}

Pairs finished(std::vector<detect::Pair>&& pairs, model::Metric metric) {
  Pairs result{std::move(pairs), {}};
  for (std::size_t i = 0; i < result.pairs.size() && result.problem.empty(); ++i) {
    const detect::Pair& pair = result.pairs[i];
    for (const auto& [value, side] : {std::pair{pair.before, "old"}, std::pair{pair.after, "new"}}) {
      const std::string why = why_unusable(metric, value);
      if (!why.empty()) result.problem = fmt::format("pair {} is impossible: its {} value is {}", i + 1, side, why);
    }
  }
  return result;
}

Result<Record> record_of(RawLine&& raw, const std::optional<Unit>& default_unit) {
  if (trim(raw.series).empty()) return fail(ErrorKind::usage, "'series' is missing: name what the numbers are of");
  if (raw.nights.has_value() == raw.pairs.has_value()) {
    return fail(ErrorKind::usage, "{}: write 'nights' (a history) or 'pairs' (a confirmation)",
                raw.nights ? "the line has both nights and pairs" : "the line has neither nights nor pairs");
  }
  std::optional<Unit> unit = default_unit;
  if (!raw.unit.empty()) {
    TBCI_ASSIGN(unit, unit_from(raw.unit));
  }
  Record record;
  TBCI_ASSIGN(record.metric, metric_of(raw.series, raw.metric, unit ? &*unit : nullptr));
  record.series = std::move(raw.series);
  record.unit = unit.value_or(unit_of(record.metric));
  if (raw.pairs) {
    record.data = finished(std::move(*raw.pairs), record.metric);
    return record;
  }
  Nights nights;
  nights.reserve(raw.nights->size());
  for (RawNight& night : *raw.nights) nights.push_back(finished(std::move(night), record.metric));
  record.data = std::move(nights);
  return record;
}

}  // namespace

Result<Record> record_from_json(std::string_view line, const std::optional<Unit>& unit, const Limits& limits) {
  std::string with_nulls;
  if (has_not_number(line)) {
    with_nulls = with_null(line);
    line = with_nulls;
  }
  LineHandler handler(line, limits);
  if (!nlohmann::json::sax_parse(line.begin(), line.end(), &handler)) {
    return fail(ErrorKind::usage, "{}", handler.error().empty() ? "not JSON" : handler.error());
  }
  return record_of(std::move(handler).line(), unit);
}

}  // namespace tbci::series_io
