#include "series_io/series_verdict.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "series_io/json_line.hpp"
#include "series_io/night_screen.hpp"
#include "tests/catch.hpp"

namespace tbci::series_verdict_test {

using namespace tbci::series_io;
using tbci::test::Approx;

namespace {

/// Nights of 2% noise, with a step of +8% at night 30; seed 11.
Nights stepped() {
  std::mt19937 generator(11);
  std::normal_distribution<double> noise(0, 0.02);
  Nights nights;
  for (int i = 0; i < 60; ++i) {
    nights.push_back({"night-" + std::to_string(i), (i < 30 ? 100 : 108) * std::exp(noise(generator)), "", false});
  }
  return nights;
}

nlohmann::json judged(const Record& record, const VerdictSettings& settings = {}) {
  return nlohmann::json::parse(series_verdict(record, settings).line);
}

nlohmann::json judged(const std::string& line) {
  return judged(record_from_json(line, {}).value());
}

std::vector<model::Verdict> verdicts(const std::vector<std::optional<double>>& values,
                                     const std::vector<std::size_t>& levels = {}) {
  std::vector<model::Verdict> all;
  const model::Series series{"s", model::Configuration::cpu_train, model::Metric::time};
  for (const auto& finding : screen_nights(series, values, levels, {})) all.push_back(finding.verdict);
  return all;
}

constexpr auto clear = model::Verdict::clear;
constexpr auto suspect = model::Verdict::suspect;
constexpr auto inconclusive = model::Verdict::inconclusive;

}  // namespace

TEST_CASE("Night screen: nothing is said before there are three nights, then each is compared with those before it",
          "[series_io]") {
  CHECK(verdicts({100, 100, 100, 100, 106, 95}) ==
        std::vector{inconclusive, inconclusive, inconclusive, clear, suspect, suspect});
  CHECK(verdicts({100, 100, 100, 103.6}).back() == clear);
  CHECK(verdicts({100, 100, 100, 103.8}).back() == suspect);
}

TEST_CASE("Night screen: one wild night does not move the baseline", "[series_io]") {
  CHECK(verdicts({100, 100, 100, 100, 150, 100, 100}) ==
        std::vector{inconclusive, inconclusive, inconclusive, clear, suspect, clear, clear});
}

TEST_CASE("Night screen: a night without a value is inconclusive and changes nothing", "[series_io]") {
  CHECK(verdicts({100, {}, 100, 100, {}, 100}) ==
        std::vector{inconclusive, inconclusive, inconclusive, inconclusive, inconclusive, clear});
}

TEST_CASE("Night screen: a new level is suspect while it is young, then the new normal", "[series_io]") {
  const std::vector<std::optional<double>> values = {100, 100, 100, 100, 110, 110, 110, 110, 110, 100};
  const auto known = verdicts(values, {4});
  CHECK(std::vector(known.begin() + 4, known.end()) == std::vector{suspect, suspect, suspect, clear, clear, suspect});
  // Without the change point the old nights weigh on.
  CHECK(verdicts(values)[7] == suspect);
}

TEST_CASE("Night screen: only the last ten nights count", "[series_io]") {
  std::vector<std::optional<double>> values(10, 100.0);
  values.insert(values.end(), 10, 110.0);
  values.push_back(110.0);
  CHECK(verdicts(values).back() == clear);
}

TEST_CASE("Night screen: memory must pass its floor in bytes as well", "[series_io]") {
  const model::Series series{"s", model::Configuration::cpu_train, model::Metric::cpu_memory};
  const auto last = [&](double from, double to) {
    const std::vector<std::optional<double>> values = {from, from, from, to};
    return screen_nights(series, values, {}, {}).back().verdict;
  };
  CHECK(last(1e6, 2e6) == clear);
  CHECK(last(1e9, 1.1e9) == suspect);
}

TEST_CASE("Night screen: of a leak only tonight's value is uncertain", "[series_io]") {
  const model::Series series{"s", model::Configuration::cpu_train, model::Metric::cpu_leak};
  const auto last = [&](double from, double to) {
    const std::vector<std::optional<double>> values = {from, from, from, to};
    return screen_nights(series, values, {}, {}).back().verdict;
  };
  CHECK(last(0, 4000) == clear);
  CHECK(last(0, 5000) == suspect);
  CHECK(last(5000, 0) == suspect);
}

TEST_CASE("SeriesVerdict: a history has its change point, and a verdict for each night", "[series_io]") {
  const auto json = judged({.series = "s", .unit = *unit_from("ms"), .metric = model::Metric::time, .data = stepped()});
  CHECK(json["series"] == "s");
  REQUIRE(json["change_points"].size() == 1);
  const auto& point = json["change_points"][0];
  const int night = point["night"];
  CHECK(std::abs(night - 30) <= 1);
  CHECK(point["build"] == "night-" + std::to_string(night));
  CHECK(point["before"].get<double>() == Approx(100).epsilon(0.02));
  CHECK(point["after"].get<double>() == Approx(108).epsilon(0.02));
  CHECK(point["change"].get<double>() == Approx(0.08).margin(0.02));
  CHECK(point["p"].get<double>() < 1e-4);
  REQUIRE(json["nights"].size() == 60);
  CHECK(json["nights"][30]["verdict"] == "suspect");
  CHECK(json["nights"][59]["verdict"] == "clear");
  CHECK(json["nights"][59]["build"] == "night-59");
}

TEST_CASE("SeriesVerdict: the index of a change point counts the nights that are missing", "[series_io]") {
  Nights nights = stepped();
  Nights gaps;
  for (std::size_t i = 0; i < nights.size(); ++i) {
    gaps.push_back({"missing", std::nullopt, "no samples", false});
    gaps.push_back(nights[i]);
  }
  const auto whole = judged({.series = "s", .unit = *unit_from("ms"), .metric = model::Metric::time, .data = nights});
  const auto json = judged({.series = "s", .unit = *unit_from("ms"), .metric = model::Metric::time, .data = gaps});
  REQUIRE(json["change_points"].size() == 1);
  CHECK(json["change_points"][0]["build"] == whole["change_points"][0]["build"]);
  CHECK(json["change_points"][0]["night"] == 2 * whole["change_points"][0]["night"].get<int>() + 1);
  CHECK(json["nights"][0]["verdict"] == "inconclusive");
  CHECK(json["nights"][0]["reason"] == "no samples");
}

TEST_CASE("SeriesVerdict: a step that is too small is not shown, but begins a new level", "[series_io]") {
  VerdictSettings settings;
  settings.change_points.least_change = 0.5;
  const auto json =
      judged({.series = "s", .unit = *unit_from("ms"), .metric = model::Metric::time, .data = stepped()}, settings);
  CHECK(json["change_points"].empty());
  CHECK(json["nights"] ==
        judged({.series = "s", .unit = *unit_from("ms"), .metric = model::Metric::time, .data = stepped()})["nights"]);
}

TEST_CASE("SeriesVerdict: equal nights and one night have no change point", "[series_io]") {
  Nights nights(40, NightValue{"n", 5.0, "", false});
  CHECK(
      judged({.series = "s", .unit = *unit_from("ns"), .metric = model::Metric::time, .data = nights})["change_points"]
          .empty());
  nights.resize(1);
  const auto json = judged({.series = "s", .unit = *unit_from("ns"), .metric = model::Metric::time, .data = nights});
  CHECK(json["change_points"].empty());
  CHECK(json["nights"].size() == 1);
}

TEST_CASE("SeriesVerdict: a leak that is 0 has no change points, and the note says so", "[series_io]") {
  const Nights nights(10, NightValue{"n", 0.0, "", false});
  const auto json =
      judged({.series = "s", .unit = *unit_from("bytes"), .metric = model::Metric::cpu_leak, .data = nights});
  CHECK(json["change_points"].empty());
  CHECK(json["note"].get<std::string>().find("above 0") != std::string::npos);
  CHECK(json["nights"][9]["verdict"] == "clear");
}

TEST_CASE("SeriesVerdict: nights that cannot be judged are reported, the first five by name", "[series_io]") {
  Nights nights(
      9, NightValue{.build = "n", .value = std::nullopt, .reason = "sample 1 is impossible", .is_problem = true});
  const SeriesVerdict verdict =
      series_verdict({.series = "s", .unit = *unit_from("ms"), .metric = model::Metric::time, .data = nights}, {});
  REQUIRE(verdict.problems.size() == 6);
  CHECK(verdict.problems.front().find("night 1") != std::string::npos);
  CHECK(verdict.problems.back().find("4 more nights") != std::string::npos);
  CHECK_FALSE(verdict.regression);
}

TEST_CASE("SeriesVerdict: pairs are decided as in a confirmation, and more are requested until then", "[series_io]") {
  const auto pairs = [](int count, double after) {
    std::string text = R"({"series":"s","unit":"ms","metric":"time","pairs":[)";
    for (int i = 0; i < count; ++i) {
      const double wobble = i % 2 == 0 ? 0.1 : -0.1;
      text += (i > 0 ? "," : "") + fmt::format("[{},{}]", 100 + wobble, after - wobble);
    }
    return judged(text + "]}");
  };
  const auto none = pairs(0, 0);
  CHECK(none["verdict"] == "more");
  CHECK(none["pairs_wanted"] == detect::Thresholds{}.first_pairs);
  CHECK(none["estimate"].is_null());
  CHECK(pairs(1, 112)["verdict"] == "more");
  CHECK(pairs(1, 112)["pairs_wanted"] == 7);
  CHECK(pairs(1, 112)["interval"][1].is_null());  // nothing is known of the spread

  const auto slow = pairs(8, 112);
  CHECK(slow["verdict"] == "regression");
  CHECK(slow["pairs_wanted"] == 0);
  CHECK(slow["estimate"].get<double>() == Approx(0.12).margin(0.001));
  CHECK(slow["interval"][0].get<double>() < slow["estimate"].get<double>());
  CHECK(slow["interval"][1].get<double>() > slow["estimate"].get<double>());
  CHECK(slow["before"].get<double>() == Approx(100).epsilon(0.002));
  CHECK(pairs(8, 100)["verdict"] == "clear");
  CHECK(pairs(8, 85)["verdict"] == "improvement");
}

TEST_CASE("SeriesVerdict: the threshold is the configured one", "[series_io]") {
  const auto record = record_from_json(
      R"({"series":"s","pairs":[[100,112],[101,113],[100,112],[101,113],[100,112],[101,113],[100,112],[101,113]]})",
      {});
  VerdictSettings settings;
  CHECK(series_verdict(*record, settings).regression);
  settings.thresholds.relative = 0.2;
  CHECK(judged(*record, settings)["verdict"] == "clear");
  CHECK_FALSE(series_verdict(*record, settings).regression);
}

TEST_CASE("SeriesVerdict: the floor of memory is in bytes, whatever the unit", "[series_io]") {
  const auto verdict = [](const std::string& unit, double before, double after) {
    std::string pairs;
    for (int i = 0; i < 8; ++i) pairs += (i > 0 ? "," : "") + fmt::format("[{},{}]", before, after);
    return judged(R"({"series":"m","unit":")" + unit + R"(","metric":"cpu_memory","pairs":[)" + pairs +
                  "]}")["verdict"];
  };
  CHECK(verdict("MiB", 100, 110) == "clear");         // 10 MiB: below the floor of 16
  CHECK(verdict("MiB", 1000, 1100) == "regression");  // 100 MiB
  CHECK(verdict("bytes", 1000, 1100) == "clear");
}

TEST_CASE("SeriesVerdict: an impossible pair makes the series inconclusive, and the reason names it", "[series_io]") {
  const auto record = record_from_json(R"({"series":"s","pairs":[[1,2],[1,NaN]]})", {});
  const SeriesVerdict verdict = series_verdict(*record, {});
  const auto json = nlohmann::json::parse(verdict.line);
  CHECK(json["verdict"] == "inconclusive");
  CHECK(json["pairs_wanted"] == 0);
  CHECK(json["estimate"].is_null());
  REQUIRE(verdict.problems.size() == 1);
  CHECK(verdict.problems[0].find("pair 2") != std::string::npos);
}

TEST_CASE("SeriesVerdict: instructions are a secondary metric and never a regression", "[series_io]") {
  std::string pairs;
  for (int i = 0; i < 8; ++i) pairs += std::string(i > 0 ? "," : "") + "[100,150]";
  const auto json = judged(R"({"series":"s","unit":"instructions","pairs":[)" + pairs + "]}");
  CHECK(json["verdict"] == "clear");
  CHECK(json["estimate"].get<double>() == Approx(0.5));
}

}  // namespace tbci::series_verdict_test
