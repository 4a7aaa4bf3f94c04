#include "bisect/bisection.hpp"

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/bisect/watched_bisection.hpp"
#include "tests/catch.hpp"

namespace tbci::bisection_trouble_test {

using model::Series;
using test::bert;
using test::bisect_with;
using test::dlrm;
using test::FakeDay;
using test::FakeProber;
using test::id_of;
using test::ids;
using test::RecordingObserver;

TEST_CASE("Bisection: it detects a machine that drifts, and measures in pairs", "[bisect]") {
  // From the first probe on, everything takes 30% longer.
  class Drifting final : public bisect::Prober {
   public:
    Result<bisect::Built> build(const model::Commit& commit, std::stop_token) override {
      drifted = drifted || (commit.id != id_of(0) && commit.id != id_of(70));
      return bisect::Built{true, ""};
    }
    Result<std::map<Series, detect::Pair>> measure_pair(const model::Commit& reference, const model::Commit& probe,
                                                        const model::Case&, int, std::stop_token) override {
      return std::map<Series, detect::Pair>{{dlrm, {value(reference), value(probe)}}};
    }
    Result<std::map<Series, double>> measure_process(const model::Commit& commit, const model::Case&, int,
                                                     std::stop_token) override {
      ++alone;
      return std::map<Series, double>{{dlrm, value(commit)}};
    }
    double value(const model::Commit& commit) const {
      return (commit.id >= id_of(61) ? 120 : 100) * (drifted ? 1.3 : 1);
    }
    bool drifted = false;
    int alone = 0;
  } prober;
  RecordingObserver observer;
  const auto answers = bisect::bisect(test::commits_of(FakeDay{}), {dlrm}, {}, prober, observer, {});
  REQUIRE(answers);
  CHECK(answers->at(0).suspects == ids(61, 61));
  CHECK(prober.alone <= 1);
}

TEST_CASE("Bisection: with Interleave::always it measures everything in pairs", "[bisect]") {
  FakeDay day;
  day.noise = 0.02;
  day.faults = {{44, dlrm, 1.2}};
  bisect::SearchSettings settings;
  settings.interleave = bisect::Interleave::always;
  FakeProber prober(day);
  const auto answers = bisect_with(prober, day, {dlrm}, settings);
  REQUIRE(answers);
  CHECK(answers->at(0).suspects == ids(44, 44));
  CHECK(prober.processes() == 2 * prober.pairs());
}

TEST_CASE("Bisection: too much noise and equal ends give different reasons", "[bisect]") {
  FakeDay day;
  day.noise = 0.3;
  day.faults = {{30, dlrm, 1.07}};
  FakeProber prober(day);
  const auto answers = bisect_with(prober, day, {dlrm});
  REQUIRE(answers);
  CHECK(answers->at(0).suspects.empty());
  CHECK(answers->at(0).reason.find("too noisy") != std::string::npos);
}

TEST_CASE("Bisection: ends that do not build, or crash, end the search with a reason", "[bisect]") {
  FakeDay day;
  day.faults = {{30, dlrm, 1.2}, {31, bert, 1.2}};
  day.broken = {70};
  FakeProber broken(day);
  auto answers = bisect_with(broken, day, {dlrm});
  REQUIRE(answers);
  CHECK(answers->at(0).suspects.empty());
  CHECK(answers->at(0).reason.find("bad end") != std::string::npos);
  CHECK(answers->at(0).reason.find("expected ';'") != std::string::npos);

  day.broken = {};
  day.crashing = {{70, dlrm.measured_case()}};
  FakeProber crashing(day);
  answers = bisect_with(crashing, day, {dlrm, bert});
  REQUIRE(answers);
  CHECK(answers->at(0).suspects.empty());
  CHECK(answers->at(0).reason.find("SIGSEGV") != std::string::npos);
  CHECK(answers->at(1).suspects == ids(31, 31));  // the other model is not affected
}

TEST_CASE("Bisection: a crash of one model loses those commits for that model alone", "[bisect]") {
  FakeDay day;
  day.faults = {{30, dlrm, 1.2}, {30, bert, 1.2}};
  day.crashing = {{28, dlrm.measured_case()}, {29, dlrm.measured_case()}};
  FakeProber prober(day);
  const auto answers = bisect_with(prober, day, {dlrm, bert});
  REQUIRE(answers);
  CHECK(answers->at(0).suspects == ids(28, 30));
  CHECK(answers->at(0).reason.find("SIGSEGV") != std::string::npos);
  CHECK(answers->at(1).suspects == ids(30, 30));
}

TEST_CASE("Bisection: of a long stretch that cannot be measured it tries the edges and a few inside", "[bisect]") {
  FakeDay day;
  day.commits = 300;
  day.faults = {{150, dlrm, 1.2}};
  for (std::size_t at = 40; at < 240; ++at) day.crashing.insert({at, dlrm.measured_case()});
  FakeProber prober(day);
  const auto answers = bisect_with(prober, day, {dlrm});
  REQUIRE(answers);
  CHECK(answers->at(0).suspects == ids(40, 240));
  CHECK(prober.search_builds() <= 30);
  CHECK(answers->at(0).reason.starts_with("200 commits before "));
  CHECK(answers->at(0).reason.find(" were tried; ") != std::string::npos);
  CHECK(answers->at(0).reason.find("SIGSEGV") != std::string::npos);
}

TEST_CASE("Bisection: a short stretch that does not build is tried whole", "[bisect]") {
  FakeDay day;
  day.faults = {{30, dlrm, 1.2}};
  for (std::size_t at = 25; at < 32; ++at) day.broken.insert(at);
  FakeProber prober(day);
  const auto answers = bisect_with(prober, day, {dlrm});
  REQUIRE(answers);
  CHECK(answers->at(0).suspects == ids(25, 32));
  CHECK(answers->at(0).reason.starts_with("7 commits before "));
  CHECK(answers->at(0).reason.find("tried") == std::string::npos);
}

TEST_CASE("Bisection: it stops at the limit on builds with the commits still in doubt", "[bisect]") {
  FakeDay day;
  day.faults = {{30, dlrm, 1.2}};
  bisect::SearchSettings settings;
  settings.most_builds = 5;  // the ends and three more
  FakeProber prober(day);
  const auto answers = bisect_with(prober, day, {dlrm}, settings);
  REQUIRE(answers);
  CHECK(prober.search_builds() == 3);
  const auto& suspects = answers->at(0).suspects;
  CHECK(suspects.size() <= 9);  // 70 halved three times
  CHECK(std::count(suspects.begin(), suspects.end(), id_of(30)) == 1);
  CHECK(answers->at(0).reason == "stopped after 5 builds");
}

TEST_CASE("Bisection: stopped at any call, it resumes without repeating one, with the same answer", "[bisect][long]") {
  FakeDay day;
  day.noise = 0.03;
  day.faults = {{12, dlrm, 1.2}, {44, bert, 1.15}};
  day.broken = {35, 36, 43};
  const std::vector<Series> series = {dlrm, bert};
  FakeProber straight(day);
  const auto expected = bisect_with(straight, day, series);
  REQUIRE(expected);
  REQUIRE(straight.fresh_calls() >= 50);
  for (int call = 0; call < straight.fresh_calls(); ++call) {
    FakeProber prober(day);
    prober.stop_at(call);
    const auto cut_off = bisect_with(prober, day, series);
    REQUIRE_FALSE(cut_off);
    CHECK(cut_off.error().kind == ErrorKind::interrupted);
    prober.stop_at(std::nullopt);
    const auto answers = bisect_with(prober, day, series);
    REQUIRE(answers);
    CHECK(prober.fresh_calls() == straight.fresh_calls());
    for (std::size_t i = 0; i < series.size(); ++i) {
      CHECK(answers->at(i).suspects == expected->at(i).suspects);
      CHECK(answers->at(i).change == expected->at(i).change);
      CHECK(answers->at(i).reason == expected->at(i).reason);
    }
  }
}

namespace {

/// Kills one process in twenty-five, at random.
class KillingProber final : public bisect::Prober {
 public:
  KillingProber(bisect::Prober& inner, unsigned seed) : inner_(inner), random_(seed) {}
  Result<bisect::Built> build(const model::Commit& commit, std::stop_token stop) override {
    return inner_.build(commit, stop);
  }
  Result<std::map<Series, detect::Pair>> measure_pair(const model::Commit& reference, const model::Commit& probe,
                                                      const model::Case& measured, int ordinal,
                                                      std::stop_token stop) override {
    if (random_() % 25 == 0) return fail(ErrorKind::failed, "killed");
    return inner_.measure_pair(reference, probe, measured, ordinal, stop);
  }
  Result<std::map<Series, double>> measure_process(const model::Commit& commit, const model::Case& measured,
                                                   int ordinal, std::stop_token stop) override {
    if (random_() % 25 == 0) return fail(ErrorKind::failed, "killed");
    return inner_.measure_process(commit, measured, ordinal, stop);
  }

 private:
  bisect::Prober& inner_;
  std::mt19937 random_;
};

}  // namespace

TEST_CASE("Bisection: killed processes lose commits, and never name a wrong one", "[bisect][long]") {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    FakeDay day;
    day.seed = seed;
    day.noise = 0.04;
    day.faults = {{12, dlrm, 1.12}, {40, dlrm, 1.1}};
    FakeProber prober(day);
    KillingProber killed(prober, seed);
    RecordingObserver observer;
    const auto answers = bisect::bisect(test::commits_of(day), {dlrm}, {}, killed, observer, {});
    REQUIRE(answers);
    INFO("seed " << seed << ": " << answers->at(0).reason);
    const auto& suspects = answers->at(0).suspects;
    CHECK((suspects.empty() || std::count(suspects.begin(), suspects.end(), id_of(12)) == 1 ||
           std::count(suspects.begin(), suspects.end(), id_of(40)) == 1));
  }
}

TEST_CASE("Bisection: a requested stop ends it before the next call", "[bisect]") {
  FakeDay day;
  day.faults = {{12, dlrm, 1.2}};
  FakeProber prober(day);
  RecordingObserver observer;
  std::stop_source stop;
  stop.request_stop();
  const auto answers = bisect::bisect(test::commits_of(day), {dlrm}, {}, prober, observer, stop.get_token());
  REQUIRE_FALSE(answers);
  CHECK(answers.error().kind == ErrorKind::interrupted);
  CHECK(prober.fresh_calls() == 0);
}

TEST_CASE("Bisection: the observer receives each probe with its change, and the commits left in doubt", "[bisect]") {
  FakeDay day;
  day.faults = {{40, dlrm, 1.2}};
  day.broken = {35};
  FakeProber prober(day);
  RecordingObserver observer;
  REQUIRE(bisect::bisect(test::commits_of(day), {dlrm}, {}, prober, observer, {}));
  std::set<std::string> seen;
  for (const model::Probe& probe : observer.probes) {
    seen.insert(probe.commit);
    if (probe.commit == id_of(35)) {
      CHECK(probe.side == model::Side::unbuildable);
      CHECK(probe.reason.find("expected ';'") != std::string::npos);
    }
    if (probe.side == model::Side::bad)
      CHECK(probe.change == test::Approx(0.2).epsilon(0.001));  // levels lie on a grid
  }
  std::set<std::string> built;
  for (std::size_t at : prober.builds()) built.insert(id_of(at));
  CHECK(seen == built);
  CHECK(observer.last.commits_in_doubt == 1);
  CHECK(observer.last.expected_builds == 0);
  CHECK(observer.last.builds == static_cast<int>(prober.builds().size()));
}

TEST_CASE("Bisection: a culprit that shows no step against its parent is not named", "[bisect]") {
  // Paired with the good end, the commits from 30 on are slow; paired with each other, they are equal. No commit causes
  // this, but a machine may.
  class Inconsistent final : public bisect::Prober {
   public:
    Result<bisect::Built> build(const model::Commit&, std::stop_token) override { return bisect::Built{true, ""}; }
    Result<std::map<Series, detect::Pair>> measure_pair(const model::Commit& reference, const model::Commit& probe,
                                                        const model::Case&, int, std::stop_token) override {
      const bool slow = reference.id == id_of(0) && probe.id >= id_of(30);
      return std::map<Series, detect::Pair>{{dlrm, {100, slow ? 120.0 : 100.0}}};
    }
    Result<std::map<Series, double>> measure_process(const model::Commit& commit, const model::Case&, int,
                                                     std::stop_token) override {
      return std::map<Series, double>{{dlrm, commit.id >= id_of(30) ? 120.0 : 100.0}};
    }
  } prober;
  RecordingObserver observer;
  const auto answers = bisect::bisect(test::commits_of(FakeDay{}), {dlrm}, {}, prober, observer, {});
  REQUIRE(answers);
  CHECK(answers->at(0).suspects.empty());
  CHECK(answers->at(0).reason.find("shows no step") != std::string::npos);
}

TEST_CASE("Bisection: the parent check corrects a wrong side", "[bisect]") {
  // The first processes of commit 35 are slow by chance; the culprit is commit 50.
  class Misleading final : public bisect::Prober {
   public:
    Result<bisect::Built> build(const model::Commit&, std::stop_token) override { return bisect::Built{true, ""}; }
    Result<std::map<Series, detect::Pair>> measure_pair(const model::Commit& reference, const model::Commit& probe,
                                                        const model::Case&, int ordinal, std::stop_token) override {
      const bool by_chance = reference.id == id_of(0) && probe.id == id_of(35) && ordinal < 3;
      return std::map<Series, detect::Pair>{{dlrm, {value(reference), by_chance ? 120.0 : value(probe)}}};
    }
    Result<std::map<Series, double>> measure_process(const model::Commit& commit, const model::Case&, int ordinal,
                                                     std::stop_token) override {
      return std::map<Series, double>{{dlrm, commit.id == id_of(35) && ordinal < 3 ? 120.0 : value(commit)}};
    }
    static double value(const model::Commit& commit) { return commit.id >= id_of(50) ? 120.0 : 100.0; }
  } prober;
  for (const auto interleave : {bisect::Interleave::automatic, bisect::Interleave::always}) {
    bisect::SearchSettings settings;
    settings.interleave = interleave;
    RecordingObserver observer;
    const auto answers = bisect::bisect(test::commits_of(FakeDay{}), {dlrm}, settings, prober, observer, {});
    REQUIRE(answers);
    CHECK(answers->at(0).suspects == ids(50, 50));
  }
}

TEST_CASE("Bisection: a single commit is refused", "[bisect]") {
  FakeDay day;
  day.commits = 1;
  FakeProber prober(day);
  const auto answers = bisect_with(prober, day, {dlrm});
  REQUIRE_FALSE(answers);
  CHECK(answers.error().kind == ErrorKind::usage);
}

}  // namespace tbci::bisection_trouble_test
