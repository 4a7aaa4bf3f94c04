// Nights in a row on a fake machine.
#pragma once

#include <algorithm>
#include <memory>
#include <string>

#include "pipeline/pipeline.hpp"
#include "tests/catch.hpp"
#include "tests/pipeline/fake_subject.hpp"

namespace tbci::test {

/// A nightly every fourth commit.
inline constexpr std::size_t commits_a_day = 4;

class Nights {
 public:
  explicit Nights(std::size_t nights) : machine(static_cast<int>(nights * commits_a_day)) {
    machine.noise = 0.005;
    for (std::size_t day = 0; day < nights; ++day) machine.days.push_back(day * commits_a_day);
    bench = std::make_unique<Bench>(folder.path(), machine);
  }

  /// Night `day` against the last one that was checked; the first one is day 1.
  pipeline::NightResult check(std::size_t day) {
    machine.effects.clear();
    const auto result = pipeline::check_night(bench->context(), {.nightly = machine.name_of(day), .baseline = {}});
    INFO((result ? std::string() : result.error().message));
    REQUIRE(result);
    return *result;
  }
  void check_all(std::size_t first, std::size_t last) {
    for (std::size_t day = first; day <= last; ++day) check(day);
  }
  /// How many processes were measured on the nightly of a day since the last check began.
  int measured_on(std::size_t day) const {
    const std::string what = "measure " + machine.history[machine.days[day]].id;
    return static_cast<int>(std::count_if(machine.effects.begin(), machine.effects.end(),
                                          [&](const std::string& effect) { return effect.starts_with(what); }));
  }
  /// The files of a nightly go away, as where a person removed them.
  void lose(std::size_t day) {
    auto build = bench->stores().builds.find("fake", model::BuildKind::nightly, machine.name_of(day)).value();
    REQUIRE(build);
    build->product.libtorch = folder.path() / "gone";
    REQUIRE(bench->stores().builds.ready(build->id, build->product, {}));
  }
  /// Day 9, which is checked, could not decide about beta/cpu-infer/time beside `old_build`: the next night looks
  /// again.
  void queue_on_day_9(const std::string& old_build, std::vector<std::pair<double, double>> pairs = {}) {
    const auto night = bench->stores().nights.find("fake", machine.name_of(9)).value().value();
    REQUIRE(bench->stores().retests.replace(night.id, {{.series = model::series_from("beta/cpu-infer/time").value(),
                                                        .old_build = old_build,
                                                        .first_suspect = machine.name_of(9),
                                                        .suspected = 0.06,
                                                        .pairs = std::move(pairs)}}));
  }
  std::vector<model::QueuedRetest> waiting_after(const pipeline::NightResult& result) const {
    return bench->stores().retests.of_night(result.night.id).value();
  }
  /// Those of all nights, the newest first.
  std::vector<model::Regression> regressions() const {
    return bench->stores().nights.latest_regressions("fake", 100).value();
  }
  std::string commit(std::size_t index) const { return machine.history[index].id; }

  TemporaryDirectory folder;
  FakeMachine machine;
  std::unique_ptr<Bench> bench;
};

inline model::Verdict verdict_of(const pipeline::NightResult& result, const std::string& series) {
  for (const model::Finding& finding : result.findings) {
    if (to_string(finding.series) == series) return finding.verdict;
  }
  FAIL("no finding of " + series);
  return {};
}

}  // namespace tbci::test
