// Random days: noise, drift, broken builds, reverts and killed processes together, drawn from a seed.
#include <algorithm>
#include <random>
#include <string>

#include "bisect/bisection.hpp"
#include "bisect/selftest/simulated.hpp"
#include "tests/catch.hpp"

namespace tbci::random_days_test {

namespace selftest = bisect::selftest;

namespace {

constexpr std::size_t commits = 70;

/// Kills one process in `one_in`.
class KillingProber final : public bisect::Prober {
 public:
  KillingProber(selftest::SimulatedProber& prober, unsigned seed) : prober_(prober), random_(seed) {}

  Result<bisect::Built> build(const model::Commit& commit, std::stop_token stop) override {
    return prober_.build(commit, stop);
  }
  Result<std::map<model::Series, detect::Pair>> measure_pair(const model::Commit& reference, const model::Commit& probe,
                                                             const model::Case& measured, int ordinal,
                                                             std::stop_token stop) override {
    if (is_killed()) return fail(ErrorKind::failed, "killed");
    return prober_.measure_pair(reference, probe, measured, ordinal, stop);
  }
  Result<std::map<model::Series, double>> measure_process(const model::Commit& commit, const model::Case& measured,
                                                          int ordinal, std::stop_token stop) override {
    if (is_killed()) return fail(ErrorKind::failed, "killed");
    return prober_.measure_process(commit, measured, ordinal, stop);
  }

 private:
  static constexpr unsigned one_in = 60;
  bool is_killed() { return random_() % one_in == 0; }

  selftest::SimulatedProber& prober_;
  std::mt19937 random_;
};

struct RandomDay {
  selftest::SimulatedDay day;
  std::vector<model::Commit> commits;
  std::string culprit;
};

/// A machine with noise and drift; a culprit that may begin a stretch that does not build; commits and their reverts,
/// with stretches between them that do not build.
RandomDay draw_day(unsigned seed) {
  std::mt19937 random(seed);
  RandomDay drawn;
  selftest::SimulatedDay& day = drawn.day;
  day.commits = commits;
  day.seed = seed;
  const auto one_of = [&random](unsigned count) { return static_cast<double>(random() % count); };
  day.machine.noise = 0.01 + 0.02 * one_of(3);
  day.machine.slow_share = 0.02 * one_of(3);
  day.machine.drift = 0.02 * one_of(4);
  const std::size_t culprit = 1 + random() % commits;
  day.slowdowns = {{culprit, 0, 0.1 + 0.1 * one_of(4)}};
  if (random() % 2 == 1) {
    const std::size_t end = std::min<std::size_t>(commits, culprit + 1 + random() % 3);
    for (std::size_t at = culprit; at < end; ++at) day.broken.insert(at);
  }
  drawn.commits = selftest::commits_of(day);
  drawn.culprit = selftest::id_of(culprit);
  for (int stretch = 0; stretch < 4; ++stretch) {
    const std::size_t before = 1 + random() % (commits - 4);
    const std::size_t after = std::min(before + 2 + random() % 4, commits);
    const auto begin = day.broken.lower_bound(before);
    if ((before < culprit) != (after < culprit) || (begin != day.broken.end() && *begin <= after)) continue;
    for (std::size_t at = before + 1; at < after; ++at) day.broken.insert(at);
    drawn.commits[after].inputs = drawn.commits[before].inputs;
  }
  return drawn;
}

}  // namespace

TEST_CASE("Random days: whatever goes wrong, the search ends and suspects only the culprit", "[bisect][long]") {
  int named = 0;
  for (unsigned seed = 31; seed <= 60; ++seed) {
    const RandomDay drawn = draw_day(seed);
    selftest::SimulatedProber prober(drawn.day);
    KillingProber killing(prober, seed);
    bisect::Observer observer;
    INFO("seed " << seed);
    const auto answers = bisect::bisect(drawn.commits, {selftest::series_of(0)}, {}, killing, observer, {});
    REQUIRE(answers);
    const std::vector<std::string>& suspects = answers->at(0).suspects;
    if (suspects.empty()) {
      CHECK_FALSE(answers->at(0).reason.empty());
      continue;
    }
    ++named;
    CHECK(std::ranges::find(suspects, drawn.culprit) != suspects.end());
  }
  CHECK(named >= 20);
}

}  // namespace tbci::random_days_test
