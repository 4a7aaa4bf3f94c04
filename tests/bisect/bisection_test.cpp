#include "bisect/bisection.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "tests/catch.hpp"
#include "tests/fakes/prober.hpp"

using namespace tbci;
using model::Answer;
using model::Metric;
using model::Series;
using test::Day;
using test::FakeProber;
using test::id_of;

namespace {

const Series dlrm = {"dlrm", model::Configuration::cpu_train, Metric::time};
const Series bert = {"BERT_pytorch", model::Configuration::cpu_infer, Metric::time};
const Series dlrm_memory = {"dlrm", model::Configuration::cpu_train, Metric::cpu_memory};
const Series dlrm_leak = {"dlrm", model::Configuration::cpu_train, Metric::cpu_leak};

class Watching final : public bisect::Observer {
 public:
  void build_finished(const model::Commit&, const bisect::Built&, const bisect::Progress& progress) override {
    last = progress;
  }
  Status probe_decided(const model::Probe& probe, const bisect::Progress& progress) override {
    probes.push_back(probe);
    last = progress;
    return {};
  }
  std::vector<model::Probe> probes;
  bisect::Progress last;
};

Result<std::vector<Answer>> bisect_with(FakeProber& prober, const Day& day, const std::vector<Series>& series,
                                        const bisect::Settings& settings = {}) {
  Watching observer;
  return bisect::bisect(test::commits_of(day), series, settings, prober, observer, {});
}

std::vector<std::string> ids(std::size_t first, std::size_t last) {
  std::vector<std::string> all;
  for (std::size_t i = first; i <= last; ++i) all.push_back(id_of(i));
  return all;
}

}  // namespace

TEST_CASE("Bisection: every culprit of 70 commits is found in at most 7 builds", "[bisect]") {
  for (std::size_t culprit = 1; culprit <= 70; ++culprit) {
    Day day;
    day.faults = {{culprit, dlrm, 1.2}};
    FakeProber prober(day);
    const auto answers = bisect_with(prober, day, {dlrm});
    REQUIRE(answers);
    CHECK(answers->at(0).suspects == ids(culprit, culprit));
    CHECK(answers->at(0).reason == "");
    CHECK(answers->at(0).change == test::Approx(0.2));
    CHECK(prober.search_builds() <= 7);
  }
}

TEST_CASE("Bisection: what does not build around the culprit is named with it, and nothing else", "[bisect]") {
  for (std::size_t culprit : {1U, 20U, 35U, 36U, 69U, 70U}) {
    for (std::size_t length : {1U, 2U, 5U}) {
      for (std::size_t before = 0; before <= length; ++before) {  // of the stretch, so many before the culprit
        Day day;
        day.faults = {{culprit, dlrm, 1.2}};
        std::set<std::size_t> broken;
        for (std::size_t i = 0; i < length; ++i) {
          if (culprit + i < 1 + before || culprit + i - before >= 70) continue;
          broken.insert(culprit + i - before);
        }
        day.broken = broken;
        FakeProber prober(day);
        const auto answers = bisect_with(prober, day, {dlrm});
        REQUIRE(answers);
        std::size_t first = culprit, last = culprit;
        while (broken.count(first - 1) != 0) --first;
        while (broken.count(last) != 0) ++last;
        CHECK(answers->at(0).suspects == ids(first, last));
        CHECK((answers->at(0).reason == "") == (first == last));
      }
    }
  }
}

TEST_CASE("Bisection: commits that touch only documents are neither built nor suspected", "[bisect]") {
  Day day;
  for (std::size_t i = 2; i <= 70; ++i) {
    if (i % 4 != 0) day.documents.insert(i);
  }
  day.faults = {{40, dlrm, 1.2}};
  FakeProber prober(day);
  const auto answers = bisect_with(prober, day, {dlrm});
  REQUIRE(answers);
  CHECK(answers->at(0).suspects == ids(40, 40));
  for (std::size_t built : prober.builds()) CHECK(day.documents.count(built) == 0);
  CHECK(prober.search_builds() <= 5);  // 18 classes after the first
}

TEST_CASE("Bisection: a day of documents only is said to have no culprit, without a build", "[bisect]") {
  Day day;
  for (std::size_t i = 1; i <= 70; ++i) day.documents.insert(i);
  FakeProber prober(day);
  const auto answers = bisect_with(prober, day, {dlrm});
  REQUIRE(answers);
  CHECK(answers->at(0).suspects.empty());
  CHECK(answers->at(0).reason.find("packaging or environment") != std::string::npos);
  CHECK(prober.fresh_calls() == 0);
}

TEST_CASE("Bisection: a commit that was reverted is known by its files", "[bisect]") {
  Day day;
  day.reverts = {{35, 0}};  // the first to be built has the files of the good end
  day.faults = {{50, dlrm, 1.2}};
  FakeProber prober(day);
  const auto answers = bisect_with(prober, day, {dlrm});
  REQUIRE(answers);
  CHECK(answers->at(0).suspects == ids(50, 50));
  CHECK(prober.builds().count(35) == 0);
}

TEST_CASE("Bisection: several culprits share their builds, metrics of all kinds", "[bisect]") {
  Day day;
  day.faults = {{12, dlrm, 1.3}, {33, bert, 1.1}, {55, dlrm_memory, 1.4}, {56, dlrm_leak, 1 << 20}};
  FakeProber prober(day);
  const auto answers = bisect_with(prober, day, {dlrm, bert, dlrm_memory, dlrm_leak});
  REQUIRE(answers);
  CHECK(answers->at(0).suspects == ids(12, 12));
  CHECK(answers->at(1).suspects == ids(33, 33));
  CHECK(answers->at(2).suspects == ids(55, 55));
  CHECK(answers->at(3).suspects == ids(56, 56));
  CHECK(prober.search_builds() <= 18);  // alone: 7 each
}

TEST_CASE("Bisection: improvements are searched for where that is asked", "[bisect]") {
  Day day;
  day.faults = {{23, dlrm, 0.8}};
  bisect::Settings settings;
  FakeProber prober(day);
  auto answers = bisect_with(prober, day, {dlrm}, settings);
  REQUIRE(answers);
  CHECK(answers->at(0).suspects.empty());
  settings.either_direction = true;
  answers = bisect_with(prober, day, {dlrm}, settings);
  REQUIRE(answers);
  CHECK(answers->at(0).suspects == ids(23, 23));
  CHECK(answers->at(0).change == test::Approx(-0.2));
  CHECK(answers->at(0).low < answers->at(0).high);
}

TEST_CASE("Bisection: exact under 2% noise with slow runs, 200 days", "[bisect]") {
  int runs = 0, builds = 0;
  for (unsigned seed = 1; seed <= 200; ++seed) {
    Day day;
    day.noise = 0.02;
    day.slow_share = 0.02;
    day.seed = seed;
    const std::size_t culprit = 1 + (seed * 37) % 70;
    day.faults = {{culprit, dlrm, 1.2}};
    FakeProber prober(day);
    const auto answers = bisect_with(prober, day, {dlrm});
    REQUIRE(answers);
    CHECK(answers->at(0).suspects == ids(culprit, culprit));
    CHECK(answers->at(0).posterior >= 0.999);
    builds += prober.search_builds();
    runs += prober.runs();
  }
  CHECK(builds <= 200 * 6.3);
  CHECK(runs / 200 <= 35);  // those beside the parent with them
}

TEST_CASE("Bisection: no culprit is named on days without one", "[bisect]") {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    Day day;
    day.noise = 0.03;
    day.slow_share = 0.02;
    day.seed = seed;
    FakeProber prober(day);
    const auto answers = bisect_with(prober, day, {dlrm});
    REQUIRE(answers);
    CHECK(answers->at(0).suspects.empty());
    CHECK(answers->at(0).steps.empty());
    CHECK_FALSE(answers->at(0).reason.empty());
  }
}

TEST_CASE("Bisection: two steps in one series are both named, with their sizes", "[bisect]") {
  for (const auto& [first, second] : {std::pair<std::size_t, std::size_t>{12, 50}, {30, 31}, {1, 70}}) {
    Day day;
    day.noise = 0.005;
    day.faults = {{first, dlrm, 1.1}, {second, dlrm, 1.15}};
    FakeProber prober(day);
    const auto answers = bisect_with(prober, day, {dlrm});
    REQUIRE(answers);
    REQUIRE(answers->at(0).steps.size() == 2);
    CHECK(answers->at(0).steps[0].suspects == ids(first, first));
    CHECK(answers->at(0).steps[1].suspects == ids(second, second));
    CHECK(answers->at(0).steps[0].change == test::Approx(0.1).margin(0.02));
    CHECK(answers->at(0).steps[1].change == test::Approx(0.15).margin(0.02));
    CHECK(answers->at(0).suspects == ids(second, second));  // the larger one
    CHECK(answers->at(0).change == answers->at(0).steps[1].change);
  }
}

TEST_CASE("Bisection: a commit that made up for a part of it is named as such", "[bisect]") {
  Day day;
  day.noise = 0.005;
  day.faults = {{20, dlrm, 1.25}, {40, dlrm, 0.88}};
  FakeProber prober(day);
  const auto answers = bisect_with(prober, day, {dlrm});
  REQUIRE(answers);
  REQUIRE(answers->at(0).steps.size() == 2);
  CHECK(answers->at(0).steps[0].suspects == ids(20, 20));
  CHECK_FALSE(answers->at(0).steps[0].repair);
  CHECK(answers->at(0).steps[1].suspects == ids(40, 40));
  CHECK(answers->at(0).steps[1].repair);
  CHECK(answers->at(0).steps[1].change == test::Approx(-0.12).margin(0.02));
  CHECK(answers->at(0).suspects == ids(20, 20));
}

TEST_CASE("Bisection: a step that was repaired the same day is no step between the ends", "[bisect]") {
  Day day;
  day.faults = {{20, dlrm, 1.25}, {40, dlrm, 0.8}};
  FakeProber prober(day);
  const auto answers = bisect_with(prober, day, {dlrm});
  REQUIRE(answers);
  CHECK(answers->at(0).suspects.empty());
  CHECK(answers->at(0).reason.find("do not differ") != std::string::npos);
  CHECK(answers->at(0).reason.find("repaired") != std::string::npos);
  CHECK(prober.search_builds() == 0);
}

TEST_CASE("Bisection: a prior finds its culprit in fewer builds, and never hides another", "[bisect]") {
  std::vector<double> weights(71, 1.0);
  weights[33] = 50;
  bisect::Settings settings;
  settings.priors[dlrm] = weights;
  for (std::size_t culprit = 1; culprit <= 70; ++culprit) {
    Day day;
    day.faults = {{culprit, dlrm, 1.2}};
    FakeProber prober(day);
    const auto answers = bisect_with(prober, day, {dlrm}, settings);
    REQUIRE(answers);
    CHECK(answers->at(0).suspects == ids(culprit, culprit));
    CHECK(prober.search_builds() <= (culprit == 33 ? 3 : 9));
  }
}

TEST_CASE("Bisection: a prior of another length is refused", "[bisect]") {
  Day day;
  bisect::Settings settings;
  settings.priors[dlrm] = {1, 2, 3};
  FakeProber prober(day);
  const auto answers = bisect_with(prober, day, {dlrm}, settings);
  REQUIRE_FALSE(answers);
  CHECK(answers.error().kind == ErrorKind::usage);
  CHECK(answers.error().message.find("3 weights for 71 commits") != std::string::npos);
}

TEST_CASE("Bisection: with several builders it takes fewer rounds", "[bisect]") {
  Day day;
  day.faults = {{23, dlrm, 1.2}};
  bisect::Settings settings;
  settings.builders = 4;
  FakeProber prober(day);
  Watching observer;
  const auto answers = bisect::bisect(test::commits_of(day), {dlrm}, settings, prober, observer, {});
  REQUIRE(answers);
  CHECK(answers->at(0).suspects == ids(23, 23));
  CHECK(observer.last.rounds <= 3);  // a fifth is left after each: 70, 14, 3
}

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
  day.noise = 0.02;
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
