#include "github/history_section.hpp"

#include <limits>

#include "tests/catch.hpp"
#include "tests/github/facts.hpp"

namespace tbci::history_section_test {

using namespace tbci::github;
using model::Configuration;
using model::Metric;

namespace {

ReportFacts history_of(Metric metric, const std::vector<double>& values) {
  ReportFacts facts;
  facts.history = SeriesHistory{{"dlrm", Configuration::cpu_train, metric}, {}};
  for (const double value : values) {
    const std::string name = fmt::format("night-{}", facts.history->nights.size() + 1);
    facts.history->nights.push_back({name, value, value * 0.99, value * 1.01, 5});
  }
  return facts;
}

// The lines of the chart, without its frame.
std::string chart_in(const std::string& section) {
  const std::size_t begin = section.find("```mermaid\n") + 11;
  return section.substr(begin, section.find("```\n", begin) - begin);
}

}  // namespace

TEST_CASE("Report's history: the chart has the values in a unit that its axis names", "[report]") {
  const std::string text = history_section(history_of(Metric::time, {12e6, 12.5e6, 15.7e6}));
  CHECK(text.starts_with("### History\n\ndlrm (cpu-train), time, over the last 3 nightlies:\n\n```mermaid\n"));
  CHECK(chart_in(text) ==
        "%%{init: {\"themeVariables\": {\"xyChart\": {\"plotColorPalette\": \"#1f6feb\"}}}}%%\n"
        "xychart-beta\n"
        "    x-axis \"nightly, by its number in the table\" [1, 2, 3]\n"
        "    y-axis \"ms per iteration\" 10.43 --> 17.27\n"
        "    line [12.00, 12.50, 15.70]\n");
  CHECK(text.find("| 3 | night-3 | 15.7 ms | 15.5 ms to 15.9 ms | 5 |\n") != std::string::npos);
}

TEST_CASE("Report's history: bytes, counts and leaks have their own units", "[report]") {
  const double mib = 1 << 20;
  CHECK(chart_in(history_section(history_of(Metric::cpu_memory, {600 * mib, 700 * mib})))
            .find("\"MiB\" 530.0 --> 770.0") != std::string::npos);
  CHECK(chart_in(history_section(history_of(Metric::instructions, {2e9, 3e9})))
            .find("\"G instructions per iteration\" 1.700 --> 3.300") != std::string::npos);
  // What shrinks is below zero; what neither grows nor shrinks has an axis all the same.
  CHECK(chart_in(history_section(history_of(Metric::gpu_leak, {-2048, 4096})))
            .find("\"KiB left per iteration\" -2.000 --> 4.400\n    line [-2.000, 4.000]") != std::string::npos);
  CHECK(chart_in(history_section(history_of(Metric::gpu_leak, {0, 0})))
            .find("\"B left per iteration\" 0.000 --> 1.000\n    line [0.000, 0.000]") != std::string::npos);
}

TEST_CASE("Report's history: no name of a nightly or a benchmark gets into the chart", "[report]") {
  ReportFacts facts = history_of(Metric::time, {1e6, 2e6});
  facts.history->series.benchmark = "a\"]\nline [1, 2]";
  facts.history->nights.back().name = "b\"]\n%%{init: {}}%% ``` @all";
  const std::string text = history_section(facts);
  CHECK(chart_in(text) == chart_in(history_section(history_of(Metric::time, {1e6, 2e6}))));
  CHECK(text.find("@all") == std::string::npos);
}

TEST_CASE("Report's history: the last thirty nights are shown, and those without a number are left out", "[report]") {
  std::vector<double> values(40, 1e6);
  values.push_back(std::numeric_limits<double>::quiet_NaN());
  const std::string text = history_section(history_of(Metric::time, values));
  CHECK(text.find("table\" [1, 2, 3, ") != std::string::npos);
  CHECK(text.find(", 29, 30]\n") != std::string::npos);
  CHECK(text.find("| 1 | night-11 |") != std::string::npos);
  CHECK(text.find("| 30 | night-40 |") != std::string::npos);
  CHECK(text.find("nan") == std::string::npos);
}

TEST_CASE("Report's history: a single night, or none, has no chart", "[report]") {
  CHECK(history_section(history_of(Metric::time, {1e6})).empty());
  CHECK(history_section({}).empty());
}

}  // namespace tbci::history_section_test
