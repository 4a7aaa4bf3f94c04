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
using test::Day;
using test::dlrm;
using test::FakeProber;
using test::id_of;
using test::ids;
using test::Watching;

TEST_CASE("Bisection: a machine that moves is noticed, and measured in pairs", "[bisect]") {
  // From the first build on everything takes 30% longer.
  class Moving final : public bisect::Prober {
   public:
    Result<bisect::Built> build(const model::Commit& commit, std::stop_token) override {
      moved = moved || (commit.id != id_of(0) && commit.id != id_of(70));
      return bisect::Built{true, ""};
    }
    Result<std::map<Series, detect::Pair>> measure_pair(const model::Commit& reference, const model::Commit& probe,
                                                        const model::Case&, int, std::stop_token) override {
      return std::map<Series, detect::Pair>{{dlrm, {value(reference), value(probe)}}};
    }
    Result<std::map<Series, double>> measure_run(const model::Commit& commit, const model::Case&, int,
                                                 std::stop_token) override {
      ++alone;
      return std::map<Series, double>{{dlrm, value(commit)}};
    }
    double value(const model::Commit& commit) const { return (commit.id >= id_of(61) ? 120 : 100) * (moved ? 1.3 : 1); }
    bool moved = false;
    int alone = 0;
  } prober;
  Watching observer;
  const auto answers = bisect::bisect(test::commits_of(Day{}), {dlrm}, {}, prober, observer, {});
  REQUIRE(answers);
  CHECK(answers->at(0).suspects == ids(61, 61));
  CHECK(prober.alone <= 1);
}

TEST_CASE("Bisection: asked to, it measures everything in pairs", "[bisect]") {
  Day day;
  day.noise = 0.02;
  day.faults = {{44, dlrm, 1.2}};
  bisect::Settings settings;
  settings.interleave = bisect::Interleave::always;
  FakeProber prober(day);
  const auto answers = bisect_with(prober, day, {dlrm}, settings);
  REQUIRE(answers);
  CHECK(answers->at(0).suspects == ids(44, 44));
  CHECK(prober.runs() == 2 * prober.pairs());
}

TEST_CASE("Bisection: a machine too noisy for the step is told from ends that do not differ", "[bisect]") {
  Day day;
  day.noise = 0.3;
  day.faults = {{30, dlrm, 1.07}};
  FakeProber prober(day);
  const auto answers = bisect_with(prober, day, {dlrm});
  REQUIRE(answers);
  CHECK(answers->at(0).suspects.empty());
  CHECK(answers->at(0).reason.find("too noisy") != std::string::npos);
}

TEST_CASE("Bisection: ends that do not build, or crash, are the answer", "[bisect]") {
  Day day;
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
  CHECK(answers->at(1).suspects == ids(31, 31));  // the other model is not its victim
}

TEST_CASE("Bisection: a model that crashes on some commits is unknown there, for that model alone", "[bisect]") {
  Day day;
  day.faults = {{30, dlrm, 1.2}, {30, bert, 1.2}};
  day.crashing = {{28, dlrm.measured_case()}, {29, dlrm.measured_case()}};
  FakeProber prober(day);
  const auto answers = bisect_with(prober, day, {dlrm, bert});
  REQUIRE(answers);
  CHECK(answers->at(0).suspects == ids(28, 30));
  CHECK(answers->at(0).reason.find("SIGSEGV") != std::string::npos);
  CHECK(answers->at(1).suspects == ids(30, 30));
}

TEST_CASE("Bisection: stops at the most builds with what is left in doubt", "[bisect]") {
  Day day;
  day.faults = {{30, dlrm, 1.2}};
  bisect::Settings settings;
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

TEST_CASE("Bisection: stopped at any call it goes on without repeating one, to the same answer", "[bisect]") {
  Day day;
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

/// One process in twenty-five is killed, at random moments.
class Killed final : public bisect::Prober {
 public:
  Killed(bisect::Prober& inner, unsigned seed) : inner_(inner), random_(seed) {}
  Result<bisect::Built> build(const model::Commit& commit, std::stop_token stop) override {
    return inner_.build(commit, stop);
  }
  Result<std::map<Series, detect::Pair>> measure_pair(const model::Commit& reference, const model::Commit& probe,
                                                      const model::Case& measured, int ordinal,
                                                      std::stop_token stop) override {
    if (random_() % 25 == 0) return fail(ErrorKind::failed, "killed");
    return inner_.measure_pair(reference, probe, measured, ordinal, stop);
  }
  Result<std::map<Series, double>> measure_run(const model::Commit& commit, const model::Case& measured, int ordinal,
                                               std::stop_token stop) override {
    if (random_() % 25 == 0) return fail(ErrorKind::failed, "killed");
    return inner_.measure_run(commit, measured, ordinal, stop);
  }

 private:
  bisect::Prober& inner_;
  std::mt19937 random_;
};

}  // namespace

TEST_CASE("Bisection: a process that is killed costs a commit, and never another answer", "[bisect]") {
  for (unsigned seed = 1; seed <= 120; ++seed) {
    Day day;
    day.seed = seed;
    day.noise = 0.04;
    day.faults = {{12, dlrm, 1.12}, {40, dlrm, 1.1}};
    FakeProber prober(day);
    Killed killed(prober, seed);
    Watching observer;
    const auto answers = bisect::bisect(test::commits_of(day), {dlrm}, {}, killed, observer, {});
    REQUIRE(answers);
    INFO("seed " << seed << ": " << answers->at(0).reason);
    const auto& suspects = answers->at(0).suspects;
    CHECK((suspects.empty() || std::count(suspects.begin(), suspects.end(), id_of(12)) == 1 ||
           std::count(suspects.begin(), suspects.end(), id_of(40)) == 1));
  }
}

TEST_CASE("Bisection: a requested stop ends it before the next call", "[bisect]") {
  Day day;
  day.faults = {{12, dlrm, 1.2}};
  FakeProber prober(day);
  Watching observer;
  std::stop_source stop;
  stop.request_stop();
  const auto answers = bisect::bisect(test::commits_of(day), {dlrm}, {}, prober, observer, stop.get_token());
  REQUIRE_FALSE(answers);
  CHECK(answers.error().kind == ErrorKind::interrupted);
  CHECK(prober.fresh_calls() == 0);
}

TEST_CASE("Bisection: the observer hears each probe with its change, and how much is left", "[bisect]") {
  Day day;
  day.faults = {{40, dlrm, 1.2}};
  day.broken = {35};
  FakeProber prober(day);
  Watching observer;
  REQUIRE(bisect::bisect(test::commits_of(day), {dlrm}, {}, prober, observer, {}));
  std::set<std::string> seen;
  for (const model::Probe& probe : observer.probes) {
    seen.insert(probe.commit);
    if (probe.commit == id_of(35)) {
      CHECK(probe.side == model::Side::unbuildable);
      CHECK(probe.reason.find("expected ';'") != std::string::npos);
    }
    if (probe.side == model::Side::bad)
      CHECK(probe.change == test::Approx(0.2).epsilon(0.001));  // levels lie on a lattice
  }
  std::set<std::string> built;
  for (std::size_t at : prober.builds()) built.insert(id_of(at));
  CHECK(seen == built);
  CHECK(observer.last.commits_in_doubt == 1);
  CHECK(observer.last.expected_builds == 0);
  CHECK(observer.last.builds == static_cast<int>(prober.builds().size()));
}

TEST_CASE("Bisection: a step that is not beside its parent names nobody", "[bisect]") {
  // Measured beside the good end the commits from 30 on are slow; measured beside each other nothing differs. No
  // commit does such a thing, but a machine may.
  class Inconsistent final : public bisect::Prober {
   public:
    Result<bisect::Built> build(const model::Commit&, std::stop_token) override { return bisect::Built{true, ""}; }
    Result<std::map<Series, detect::Pair>> measure_pair(const model::Commit& reference, const model::Commit& probe,
                                                        const model::Case&, int, std::stop_token) override {
      const bool slow = reference.id == id_of(0) && probe.id >= id_of(30);
      return std::map<Series, detect::Pair>{{dlrm, {100, slow ? 120.0 : 100.0}}};
    }
    Result<std::map<Series, double>> measure_run(const model::Commit& commit, const model::Case&, int,
                                                 std::stop_token) override {
      return std::map<Series, double>{{dlrm, commit.id >= id_of(30) ? 120.0 : 100.0}};
    }
  } prober;
  Watching observer;
  const auto answers = bisect::bisect(test::commits_of(Day{}), {dlrm}, {}, prober, observer, {});
  REQUIRE(answers);
  CHECK(answers->at(0).suspects.empty());
  CHECK(answers->at(0).reason.find("shows no step") != std::string::npos);
}

TEST_CASE("Bisection: a side decided wrongly is corrected by the look beside the parent", "[bisect]") {
  // The first processes of commit 35 are slow by chance; the fault came at 50.
  class Misleading final : public bisect::Prober {
   public:
    Result<bisect::Built> build(const model::Commit&, std::stop_token) override { return bisect::Built{true, ""}; }
    Result<std::map<Series, detect::Pair>> measure_pair(const model::Commit& reference, const model::Commit& probe,
                                                        const model::Case&, int ordinal, std::stop_token) override {
      const bool by_chance = reference.id == id_of(0) && probe.id == id_of(35) && ordinal < 3;
      return std::map<Series, detect::Pair>{{dlrm, {value(reference), by_chance ? 120.0 : value(probe)}}};
    }
    Result<std::map<Series, double>> measure_run(const model::Commit& commit, const model::Case&, int ordinal,
                                                 std::stop_token) override {
      return std::map<Series, double>{{dlrm, commit.id == id_of(35) && ordinal < 3 ? 120.0 : value(commit)}};
    }
    static double value(const model::Commit& commit) { return commit.id >= id_of(50) ? 120.0 : 100.0; }
  } prober;
  for (const auto interleave : {bisect::Interleave::automatic, bisect::Interleave::always}) {
    bisect::Settings settings;
    settings.interleave = interleave;
    Watching observer;
    const auto answers = bisect::bisect(test::commits_of(Day{}), {dlrm}, settings, prober, observer, {});
    REQUIRE(answers);
    CHECK(answers->at(0).suspects == ids(50, 50));
  }
}

TEST_CASE("Bisection: one commit is too few", "[bisect]") {
  Day day;
  day.commits = 1;
  FakeProber prober(day);
  const auto answers = bisect_with(prober, day, {dlrm});
  REQUIRE_FALSE(answers);
  CHECK(answers.error().kind == ErrorKind::usage);
}

}  // namespace tbci::bisection_trouble_test
