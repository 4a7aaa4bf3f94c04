#include "settings/thresholds.hpp"

#include <fmt/format.h>

#include <optional>

namespace tbci::settings {

namespace {

constexpr double mebibyte = 1024 * 1024;

std::optional<double> number(TomlReader& reader, const char* key, double least, double most) {
  if (const double value = reader.number(key, least, least, most); reader.has(key)) return value;
  return std::nullopt;
}

std::optional<int> integer(TomlReader& reader, const char* key, int least, int most) {
  if (const auto value = reader.integer(key, least, least, most); reader.has(key)) return static_cast<int>(value);
  return std::nullopt;
}

// The same keys in [thresholds] and in each [[thresholds.for]].
detect::ThresholdChange read_change(TomlReader& reader) {
  detect::ThresholdChange change;
  change.relative = number(reader, "relative", 0.001, 10);
  change.screen = number(reader, "screen", 0.0005, 10);
  change.memory_floor_bytes = number(reader, "memory_floor_mib", 0, 1e6);
  if (change.memory_floor_bytes) *change.memory_floor_bytes *= mebibyte;
  change.leak_floor_bytes = number(reader, "leak_floor_bytes", 1, 1e12);
  change.first_pairs = integer(reader, "first_pairs", 4, 1000);
  change.most_pairs = integer(reader, "most_pairs", 4, 10000);
  return change;
}

void refuse_contradictions(TomlReader& reader, const detect::Thresholds& thresholds) {
  if (thresholds.screen > thresholds.relative)
    reader.refuse("screen", "must not be above `relative`: it would hide regressions");
  if (thresholds.first_pairs > thresholds.most_pairs) reader.refuse("first_pairs", "must not be above `most_pairs`");
}

std::optional<std::string> word(TomlReader& reader, const char* key) {
  const std::string text = reader.text(key, "");
  if (!reader.has(key)) return std::nullopt;
  if (text.empty()) reader.refuse(key, "must not be empty: leave it out to choose all");
  return text;
}

detect::SeriesPattern read_pattern(TomlReader& reader) {
  detect::SeriesPattern pattern;
  pattern.benchmark = word(reader, "benchmark");
  const auto configuration = word(reader, "configuration");
  const auto metric = word(reader, "metric");
  if (!pattern.benchmark && !configuration && !metric)
    reader.refuse("benchmark",
                  "is missing, as are `configuration` and `metric`: set at least one to choose the series");
  if (configuration) {
    const auto known = model::configuration_from(*configuration);
    if (known) pattern.configuration = *known;
    if (!known) reader.refuse("configuration", known.error().message);
  }
  if (metric) {
    const auto known = model::metric_from(*metric);
    if (known) pattern.metric = *known;
    if (!known) reader.refuse("metric", known.error().message);
    if (known && *known == model::Metric::outcome)
      reader.refuse("metric", "outcome has no thresholds: a break is judged by how many processes fail");
    if (known && model::is_secondary(*known))
      reader.refuse("metric", fmt::format("{} is recorded but never judged, so it has no thresholds", *metric));
  }
  return pattern;
}

}  // namespace

detect::ThresholdTable read_thresholds(TomlReader reader) {
  detect::ThresholdTable table;
  const int memory_first = table.base.memory_first_pairs, memory_most = table.base.memory_most_pairs;
  table.base = detect::changed(table.base, read_change(reader));
  // [thresholds] sets the pairs of times. Memory is nearly deterministic and keeps its own pairs, which only
  // [[thresholds.for]] changes.
  table.base.memory_first_pairs = memory_first;
  table.base.memory_most_pairs = memory_most;
  refuse_contradictions(reader, table.base);
  for (TomlReader& one : reader.tables("for")) {
    const detect::ThresholdOverride changes{read_pattern(one), read_change(one)};
    refuse_contradictions(one, detect::changed(table.base, changes.change));
    table.overrides.push_back(changes);
  }
  return table;
}

}  // namespace tbci::settings
