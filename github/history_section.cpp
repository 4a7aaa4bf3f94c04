#include "github/history_section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/text.hpp"
#include "github/markdown.hpp"
#include "github/report_words.hpp"

namespace tbci::github {

namespace {

using model::Metric;

constexpr std::size_t most_nights = 30;
// Mermaid's own first colour can hardly be seen on white.
constexpr std::string_view line_colour =
    R"(%%{init: {"themeVariables": {"xyChart": {"plotColorPalette": "#1f6feb"}}}}%%)";

struct AxisUnit {
  std::string_view name;
  double size = 1;  ///< in the metric's unit
};

// The unit of the axis: the largest in which the greatest value is at least 1.
AxisUnit axis_unit(Metric metric, double greatest) {
  static constexpr AxisUnit times[] = {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}};
  static constexpr AxisUnit sizes[] = {{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1}};
  static constexpr AxisUnit counts[] = {{"G", 1e9}, {"M", 1e6}, {"k", 1e3}, {"", 1}};
  const auto largest = [&](const AxisUnit(&units)[4]) {
    const auto* fits =
        std::find_if(std::begin(units), std::end(units), [&](const AxisUnit& unit) { return greatest >= unit.size; });
    return fits == std::end(units) ? units[3] : *fits;
  };
  if (metric == Metric::time) return largest(times);
  return metric == Metric::instructions ? largest(counts) : largest(sizes);
}

std::string axis_title(Metric metric, const AxisUnit& unit) {
  switch (metric) {
    case Metric::time:
      return fmt::format("{} per iteration", unit.name);
    case Metric::instructions:
      return fmt::format("{} instructions per iteration", unit.name);
    case Metric::cpu_leak:
    case Metric::gpu_leak:
      return fmt::format("{} left per iteration", unit.name);
    case Metric::cpu_memory:
    case Metric::gpu_memory:
    case Metric::gpu_reserved:
    case Metric::outcome:
      break;
  }
  return std::string(unit.name);
}

// Without an exponent, which the chart does not read.
std::string plain_number(double value, double greatest) {
  return fmt::format("{:.{}f}", value, greatest < 10 ? 3 : greatest < 100 ? 2 : 1);
}

// What the chart shows is never the name of a nightly or of a benchmark: those are hostile, and thirty names do not fit
// below an axis. The nights have numbers, and the table has their names.
std::string chart_of(Metric metric, const std::vector<HistoryNight>& nights) {
  double least = nights.front().value, greatest = least;
  for (const HistoryNight& night : nights) {
    least = std::min(least, night.value);
    greatest = std::max(greatest, night.value);
  }
  const AxisUnit unit = axis_unit(metric, greatest);
  // A fifth of the greatest value at least is seen: noise of one percent does not look like a step.
  const double margin = std::abs(greatest) / 10 / unit.size;
  const double low = std::max(std::min(0.0, least / unit.size), least / unit.size - margin);
  const double top = greatest / unit.size;
  const double high = top > low ? top + margin : low + 1;
  std::vector<std::string> numbers, values;
  for (const HistoryNight& night : nights) {
    numbers.push_back(std::to_string(numbers.size() + 1));
    values.push_back(plain_number(night.value / unit.size, top));
  }
  return fmt::format("{}\nxychart-beta\n    x-axis \"nightly, by its number in the table\" [{}]\n", line_colour,
                     join(numbers, ", ")) +
         fmt::format("    y-axis \"{}\" {} --> {}\n", axis_title(metric, unit), plain_number(low, top),
                     plain_number(high, top)) +
         fmt::format("    line [{}]\n", join(values, ", "));
}

std::string numbers_of(Metric metric, const std::vector<HistoryNight>& nights) {
  std::string table =
      "| number | nightly | median | lowest to highest process | processes |\n"
      "| ---: | --- | ---: | --- | ---: |\n";
  for (std::size_t i = 0; i < nights.size(); ++i) {
    const HistoryNight& night = nights[i];
    table += fmt::format("| {} | {} | {} | {} to {} | {} |\n", i + 1, escaped(night.name, 60),
                         value_text(metric, night.value), value_text(metric, night.lowest),
                         value_text(metric, night.highest), night.processes);
  }
  return table;
}

}  // namespace

std::string history_section(const ReportFacts& facts) {
  if (!facts.history) return "";
  std::vector<HistoryNight> nights = facts.history->nights;
  std::erase_if(nights, [](const HistoryNight& night) { return !std::isfinite(night.value); });
  if (nights.size() > most_nights) nights.erase(nights.begin(), nights.end() - most_nights);
  if (nights.size() < 2) return "";
  const model::Series& series = facts.history->series;
  return fmt::format("### History\n\n{}, over the last {}:\n\n", series_text(series),
                     counted(nights.size(), "nightly", "nightlies")) +
         code_block(chart_of(series.metric, nights), "mermaid") + "\n" +
         folded("The same numbers", numbers_of(series.metric, nights));
}

}  // namespace tbci::github
