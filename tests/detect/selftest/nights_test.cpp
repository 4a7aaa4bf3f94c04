// The nightly judgement as a whole, and the counting of what it does. Seeds are fixed.
#include "detect/selftest/nights.hpp"

#include <cmath>
#include <memory>

#include "detect/selftest/campaign.hpp"
#include "tests/catch.hpp"

namespace tbci::nights_test {

using tbci::test::Approx;
namespace selftest = tbci::detect::selftest;

namespace {

selftest::MethodKind ours(const selftest::JudgementSettings& settings = {}) {
  return {"ours", "", 16, [settings] { return std::make_unique<selftest::OurNights>(settings); }};
}

selftest::Campaign campaign(const selftest::Noise& noise, const selftest::Scenario& scenario, std::int64_t series) {
  return {ours(), scenario, series, 21,
          [noise](std::uint64_t seed) { return std::make_unique<selftest::NoisySource>(noise, seed); }};
}

selftest::Tally tally(const selftest::Noise& noise, const selftest::Scenario& scenario, std::int64_t series) {
  return *selftest::run(campaign(noise, scenario, series), 2, {}, {});
}

/// Files on the nights that it is given.
class Told final : public selftest::Method {
 public:
  explicit Told(std::vector<int> nights) : nights_(std::move(nights)) {}
  selftest::MethodNight night(selftest::Source&, double effect) override {
    effects.push_back(effect);
    const bool filed = std::find(nights_.begin(), nights_.end(), night_++) != nights_.end();
    return {filed, {.processes = 5, .confirmations = 1, .confirming_pairs = 8, .anchor_pairs = 3}};
  }
  static inline std::vector<double> effects;  // of the last that was made

 private:
  std::vector<int> nights_;
  int night_ = 0;
};

selftest::MethodKind told(const std::vector<int>& nights) {
  return {"told", "", 4, [nights] {
            Told::effects.clear();
            return std::make_unique<Told>(nights);
          }};
}

}  // namespace

TEST_CASE("Nights: unchanged series are not filed, in either noise", "[selftest]") {
  for (const auto& noise : {selftest::quiet(), selftest::noisy()}) {
    const auto unchanged = tally(noise, {.name = "unchanged", .nights = 100}, 60);
    CHECK(unchanged.alarms == 0);
    CHECK(unchanged.nights == 60 * 116);
    CHECK(unchanged.cost.confirmations > 0);  // the screen is loose
  }
}

TEST_CASE("Nights: a step of 10% is filed the same night, one of 8% within three", "[selftest][long]") {
  for (const auto& noise : {selftest::quiet(), selftest::noisy()}) {
    CHECK(found_within(tally(noise, {.name = "+10%", .step = 0.1}, 400), 1).value >= 0.97);
    CHECK(found_within(tally(noise, {.name = "+8%", .step = 0.08}, 400), 3).value >= 0.985);
    CHECK(found_within(tally(noise, {.name = "+3%", .step = 0.03}, 200), 20).value == 0);
  }
}

TEST_CASE("Nights: creep is found against the anchor, and by nothing else", "[selftest]") {
  const selftest::Scenario creep{.name = "creep", .creep = 0.005, .nights = 25};
  CHECK(found_within(tally(selftest::quiet(), creep, 200), 20).value >= 0.98);
  selftest::JudgementSettings without;
  without.anchor_every = 0;
  auto blind = campaign(selftest::quiet(), creep, 200);
  blind.method = ours(without);
  CHECK(found_within(*selftest::run(blind, 1, {}, {}), 20).value <= 0.02);
}

TEST_CASE("Nights: a night that is slow for all builds files nothing", "[selftest]") {
  CHECK(tally(selftest::noisy(), {.name = "bad night", .bad_night = 0.15}, 300).alarms == 0);
}

TEST_CASE("Nights: a machine that changed for good is taken for what it is", "[selftest]") {
  // Without noise, so that each step is seen. A shift of 10% on the 20th night.
  selftest::Noise noise;
  noise.process = 0.001;
  selftest::NoisySource source(noise, 3);
  selftest::OurNights nights({});
  int confirmations = 0, filed = 0;
  for (int night = 0; night < 60; ++night) {
    source.begin_night(night >= 20 ? std::log(1.1) : 0);
    const auto result = nights.night(source, 0);
    filed += result.filed ? 1 : 0;
    confirmations += static_cast<int>(result.cost.confirmations);
  }
  CHECK(filed == 0);
  CHECK(confirmations == 2);  // the night of the change and the next; then the baseline restarts
}

TEST_CASE("Nights: with a history the old build is not measured", "[selftest]") {
  const selftest::Noise noise;
  selftest::NoisySource source(noise, 3);
  selftest::OurNights nights({});
  std::vector<std::int64_t> processes;
  for (int night = 0; night < 12; ++night) {
    source.begin_night(0);
    processes.push_back(nights.night(source, 0).cost.processes);
  }
  // The first night has nothing beside it; eight nights make a baseline. Without noise three pairs, or processes, do.
  CHECK(processes == std::vector<std::int64_t>{5, 6, 6, 6, 6, 6, 6, 6, 3, 3, 3, 3});
}

TEST_CASE("Campaign: the answer does not depend on the number of threads", "[selftest]") {
  const auto asked = campaign(selftest::noisy(), {.name = "+8%", .step = 0.08}, 150);
  const auto one = *selftest::run(asked, 1, {}, {}), three = *selftest::run(asked, 3, {}, {});
  CHECK(one.found_on == three.found_on);
  CHECK(one.cost.confirming_pairs == three.cost.confirming_pairs);
  CHECK(one.series == 150);
  auto other = asked;
  other.seed = 22;
  CHECK(selftest::run(other, 1, {}, {})->cost.confirming_pairs != one.cost.confirming_pairs);
}

TEST_CASE("Campaign: a stop is an error", "[selftest]") {
  std::stop_source stop;
  stop.request_stop();
  const auto result = selftest::run(campaign(selftest::quiet(), {.name = "x"}, 1000), 2, {}, stop.get_token());
  REQUIRE_FALSE(result);
  CHECK(result.error().kind == tbci::ErrorKind::interrupted);
}

TEST_CASE("Campaign: nights are counted from the change on", "[selftest]") {
  const selftest::Noise none;
  selftest::NoisySource source(none, 1);
  // Night 1 is in the warm-up, night 6 the third of the change.
  const auto step = selftest::follow(told({1, 6, 8}), source, {.name = "step", .step = 0.1, .nights = 10});
  CHECK(step.early_alarms == 1);
  CHECK(step.alarms == 1);
  CHECK(step.nights == 3);
  CHECK(step.found_on[2] == 1);
  CHECK(step.cost.processes == 15);
  CHECK(Told::effects[3] == 0);
  CHECK(Told::effects[4] == Approx(std::log(1.1)));
  selftest::follow(told({}), source, {.name = "creep", .creep = 0.005, .nights = 10});
  CHECK(Told::effects[4] == Approx(std::log(1.005)));
  CHECK(Told::effects[13] == Approx(10 * std::log(1.005)));
  const auto unchanged = selftest::follow(told({1, 6, 8}), source, {.name = "unchanged", .nights = 10});
  CHECK(unchanged.alarms == 3);
  CHECK(unchanged.nights == 14);
  const auto bad = selftest::follow(told({1, 6, 8}), source, {.name = "bad", .bad_night = 0.15, .nights = 10});
  CHECK(bad.alarms == 2);
  CHECK(bad.nights == 10);
}

TEST_CASE("Campaign: shares and nights of what was found", "[selftest]") {
  selftest::Tally found;
  found.series = 10;
  found.nights = 4000;
  found.alarms = 2;
  found.found_on = {5, 2, 0, 1};
  CHECK(found_within(found, 1).value == Approx(0.5));
  CHECK(found_within(found, 2).value == Approx(0.7));
  CHECK(found_within(found, 20).value == Approx(0.8));
  CHECK(found_by(found, 0.5) == 1);
  CHECK(found_by(found, 0.8) == 4);
  CHECK_FALSE(found_by(found, 0.9));
  CHECK(alarms_per_thousand(found).value == Approx(0.5));
  CHECK(alarms_per_thousand(found).interval.low < 0.5);
  CHECK(alarms_per_thousand(found).interval.high > 0.5);
}

}  // namespace tbci::nights_test
