#include "series_io/answer.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "series_io/json_line.hpp"
#include "series_io/night_screen.hpp"
#include "tests/catch.hpp"

namespace tbci::answer_test {

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

nlohmann::json answered(const Record& record, const Questions& questions = {}) {
  return nlohmann::json::parse(answer_of(record, questions).line);
}

nlohmann::json answered(const std::string& line) {
  return answered(record_from_json(line, {}).value());
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

TEST_CASE("Night screen: nothing is said before there are three nights, then each is held against those before it",
          "[offline]") {
  CHECK(verdicts({100, 100, 100, 100, 106, 95}) ==
        std::vector{inconclusive, inconclusive, inconclusive, clear, suspect, suspect});
  CHECK(verdicts({100, 100, 100, 103.6}).back() == clear);
  CHECK(verdicts({100, 100, 100, 103.8}).back() == suspect);
}

TEST_CASE("Night screen: one wild night does not move the baseline", "[offline]") {
  CHECK(verdicts({100, 100, 100, 100, 150, 100, 100}) ==
        std::vector{inconclusive, inconclusive, inconclusive, clear, suspect, clear, clear});
}

TEST_CASE("Night screen: a night without a value is inconclusive and changes nothing", "[offline]") {
  CHECK(verdicts({100, {}, 100, 100, {}, 100}) ==
        std::vector{inconclusive, inconclusive, inconclusive, inconclusive, inconclusive, clear});
}

TEST_CASE("Night screen: a new level is suspect while it is young, then the new normal", "[offline]") {
  const std::vector<std::optional<double>> values = {100, 100, 100, 100, 110, 110, 110, 110, 110, 100};
  const auto known = verdicts(values, {4});
  CHECK(std::vector(known.begin() + 4, known.end()) == std::vector{suspect, suspect, suspect, clear, clear, suspect});
  // Without the change point the old nights weigh on.
  CHECK(verdicts(values)[7] == suspect);
}

TEST_CASE("Night screen: only the last ten nights count", "[offline]") {
  std::vector<std::optional<double>> values(10, 100.0);
  values.insert(values.end(), 10, 110.0);
  values.push_back(110.0);
  CHECK(verdicts(values).back() == clear);
}

TEST_CASE("Night screen: memory must pass its floor in bytes as well", "[offline]") {
  const model::Series series{"s", model::Configuration::cpu_train, model::Metric::cpu_memory};
  const auto last = [&](double from, double to) {
    const std::vector<std::optional<double>> values = {from, from, from, to};
    return screen_nights(series, values, {}, {}).back().verdict;
  };
  CHECK(last(1e6, 2e6) == clear);
  CHECK(last(1e9, 1.1e9) == suspect);
}

TEST_CASE("Answer: a history has its change point, and a verdict for each night", "[offline]") {
  const auto json = answered({"s", *unit_from("ms"), model::Metric::time, stepped()});
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

TEST_CASE("Answer: the index of a change point counts the nights that are missing", "[offline]") {
  Nights nights = stepped();
  Nights gaps;
  for (std::size_t i = 0; i < nights.size(); ++i) {
    gaps.push_back({"missing", std::nullopt, "no samples", false});
    gaps.push_back(nights[i]);
  }
  const auto whole = answered({"s", *unit_from("ms"), model::Metric::time, nights});
  const auto json = answered({"s", *unit_from("ms"), model::Metric::time, gaps});
  REQUIRE(json["change_points"].size() == 1);
  CHECK(json["change_points"][0]["build"] == whole["change_points"][0]["build"]);
  CHECK(json["change_points"][0]["night"] == 2 * whole["change_points"][0]["night"].get<int>() + 1);
  CHECK(json["nights"][0]["verdict"] == "inconclusive");
  CHECK(json["nights"][0]["reason"] == "no samples");
}

TEST_CASE("Answer: a step that is too small to be shown is not, and no less a new level", "[offline]") {
  Questions questions;
  questions.change_points.least_change = 0.5;
  const auto json = answered({"s", *unit_from("ms"), model::Metric::time, stepped()}, questions);
  CHECK(json["change_points"].empty());
  CHECK(json["nights"] == answered({"s", *unit_from("ms"), model::Metric::time, stepped()})["nights"]);
}

TEST_CASE("Answer: equal nights and one night have no change point", "[offline]") {
  Nights nights(40, NightValue{"n", 5.0, "", false});
  CHECK(answered({"s", *unit_from("ns"), model::Metric::time, nights})["change_points"].empty());
  nights.resize(1);
  const auto json = answered({"s", *unit_from("ns"), model::Metric::time, nights});
  CHECK(json["change_points"].empty());
  CHECK(json["nights"].size() == 1);
}

TEST_CASE("Answer: a leak that is 0 has no change points, and the answer says so", "[offline]") {
  const Nights nights(10, NightValue{"n", 0.0, "", false});
  const auto json = answered({"s", *unit_from("bytes"), model::Metric::cpu_leak, nights});
  CHECK(json["change_points"].empty());
  CHECK(json["note"].get<std::string>().find("above 0") != std::string::npos);
  CHECK(json["nights"][9]["verdict"] == "clear");
}

TEST_CASE("Answer: a night that can't be judged is told of, five of many by name", "[offline]") {
  Nights nights(9, NightValue{"n", std::nullopt, "sample 1 can't be true", true});
  const Answer answer = answer_of({"s", *unit_from("ms"), model::Metric::time, nights}, {});
  REQUIRE(answer.problems.size() == 6);
  CHECK(answer.problems.front().find("night 1") != std::string::npos);
  CHECK(answer.problems.back().find("4 more nights") != std::string::npos);
  CHECK_FALSE(answer.regression);
}

TEST_CASE("Answer: pairs are decided as by the confirmation, and more are wanted until then", "[offline]") {
  const auto pairs = [](int count, double after) {
    std::string text = R"({"series":"s","unit":"ms","metric":"time","pairs":[)";
    for (int i = 0; i < count; ++i) {
      const double wobble = i % 2 == 0 ? 0.1 : -0.1;
      text += (i > 0 ? "," : "") + fmt::format("[{},{}]", 100 + wobble, after - wobble);
    }
    return answered(text + "]}");
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

TEST_CASE("Answer: the threshold is the one that is asked for", "[offline]") {
  const auto record = record_from_json(
      R"({"series":"s","pairs":[[100,112],[101,113],[100,112],[101,113],[100,112],[101,113],[100,112],[101,113]]})",
      {});
  Questions questions;
  CHECK(answer_of(*record, questions).regression);
  questions.thresholds.relative = 0.2;
  CHECK(answered(*record, questions)["verdict"] == "clear");
  CHECK_FALSE(answer_of(*record, questions).regression);
}

TEST_CASE("Answer: the floor of memory is in bytes, whatever the unit", "[offline]") {
  const auto verdict = [](const std::string& unit, double before, double after) {
    std::string pairs;
    for (int i = 0; i < 8; ++i) pairs += (i > 0 ? "," : "") + fmt::format("[{},{}]", before, after);
    return answered(R"({"series":"m","unit":")" + unit + R"(","metric":"cpu_memory","pairs":[)" + pairs +
                    "]}")["verdict"];
  };
  CHECK(verdict("MiB", 100, 110) == "clear");         // 10 MiB: below the floor of 16
  CHECK(verdict("MiB", 1000, 1100) == "regression");  // 100 MiB
  CHECK(verdict("bytes", 1000, 1100) == "clear");
}

TEST_CASE("Answer: a pair that can't be true makes the series inconclusive and says which", "[offline]") {
  const auto record = record_from_json(R"({"series":"s","pairs":[[1,2],[1,NaN]]})", {});
  const Answer answer = answer_of(*record, {});
  const auto json = nlohmann::json::parse(answer.line);
  CHECK(json["verdict"] == "inconclusive");
  CHECK(json["pairs_wanted"] == 0);
  CHECK(json["estimate"].is_null());
  REQUIRE(answer.problems.size() == 1);
  CHECK(answer.problems[0].find("pair 2") != std::string::npos);
}

TEST_CASE("Answer: instructions are evidence and never a regression", "[offline]") {
  std::string pairs;
  for (int i = 0; i < 8; ++i) pairs += std::string(i > 0 ? "," : "") + "[100,150]";
  const auto json = answered(R"({"series":"s","unit":"instructions","pairs":[)" + pairs + "]}");
  CHECK(json["verdict"] == "clear");
  CHECK(json["estimate"].get<double>() == Approx(0.5));
}

}  // namespace tbci::answer_test
