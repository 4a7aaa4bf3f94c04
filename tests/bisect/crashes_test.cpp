// Processes that crash now and then, as they do on every machine.
#include <string>
#include <vector>

#include "bisect/bisection.hpp"
#include "bisect/selftest/simulated.hpp"
#include "tests/bisect/watched_bisection.hpp"
#include "tests/catch.hpp"

namespace tbci::crashes_test {

namespace selftest = bisect::selftest;
using model::Series;
using test::dlrm;
using test::id_of;

TEST_CASE("Crashes: thirty nights of +10% have thirty exact culprits, at 0, 1 and 3% crashes a process",
          "[bisect][long]") {
  for (const double share : {0.0, 0.01, 0.03}) {
    int exact = 0;
    for (unsigned night = 1; night <= 30; ++night) {
      selftest::SimulatedDay day;
      day.seed = 100 + night;
      day.machine.noise = 0.01;
      day.machine.crash_share = share;
      const std::size_t culprit = 1 + (night * 37) % 70;
      day.slowdowns = {{culprit, 0, 0.1}};
      selftest::SimulatedProber prober(day);
      bisect::Observer observer;
      const auto answers =
          bisect::bisect(selftest::commits_of(day), {selftest::series_of(0)}, {}, prober, observer, {});
      REQUIRE(answers);
      INFO("night " << night << ", " << share << " crashes: " << answers->at(0).reason);
      CHECK(answers->at(0).suspects == std::vector<std::string>{selftest::id_of(culprit)});
      exact += answers->at(0).suspects == std::vector<std::string>{selftest::id_of(culprit)} ? 1 : 0;
    }
    CHECK(exact == 30);
  }
}

namespace {

/// Days in memory whose processes crash where `crashes` says so.
class CrashingProber final : public bisect::Prober {
 public:
  using Crashes = std::function<bool(const std::string& reference, const std::string& probe, int ordinal)>;
  CrashingProber(const test::FakeDay& day, Crashes crashes) : inner_(day), crashes_(std::move(crashes)) {}

  Result<bisect::Built> build(const model::Commit& commit, std::stop_token stop) override {
    return inner_.build(commit, stop);
  }
  Result<std::map<Series, detect::Pair>> measure_pair(const model::Commit& reference, const model::Commit& probe,
                                                      const model::Case& measured, int ordinal,
                                                      std::stop_token stop) override {
    ++asked;
    if (crashes_(reference.id, probe.id, ordinal)) return fail(ErrorKind::failed, "killed by SIGSEGV");
    return inner_.measure_pair(reference, probe, measured, ordinal, stop);
  }
  Result<std::map<Series, double>> measure_process(const model::Commit& commit, const model::Case& measured,
                                                   int ordinal, std::stop_token stop) override {
    ++asked;
    if (crashes_("", commit.id, ordinal)) return fail(ErrorKind::failed, "killed by SIGSEGV");
    return inner_.measure_process(commit, measured, ordinal, stop);
  }
  int asked = 0;

 private:
  test::FakeProber inner_;
  Crashes crashes_;
};

test::FakeDay noisy_day() {
  test::FakeDay day;
  day.noise = 0.02;
  day.faults = {{40, dlrm, 1.2}};
  return day;
}

Result<model::Answer> search(CrashingProber& prober) {
  test::RecordingObserver observer;
  TBCI_ASSIGN(auto answers, bisect::bisect(test::commits_of(noisy_day()), {dlrm}, {}, prober, observer, {}));
  return answers.at(0);
}

}  // namespace

TEST_CASE("Crashes: three crashes of a probe in a row cost three processes, and nothing else", "[bisect]") {
  CrashingProber prober(noisy_day(), [](const std::string&, const std::string&, int ordinal) { return ordinal < 3; });
  const auto answer = search(prober);
  REQUIRE(answer);
  CHECK(answer->suspects == std::vector<std::string>{id_of(40)});
}

TEST_CASE("Crashes: a commit that always crashes is lost after its retries", "[bisect]") {
  int crashed = 0;
  CrashingProber prober(noisy_day(), [&](const std::string&, const std::string& probe, int) {
    crashed += probe == id_of(39) ? 1 : 0;
    return probe == id_of(39);
  });
  const auto answer = search(prober);
  REQUIRE(answer);
  CHECK(answer->suspects == std::vector<std::string>{id_of(39), id_of(40)});
  CHECK(answer->reason.find("SIGSEGV") != std::string::npos);
  CHECK(crashed <= 8);
}

TEST_CASE("Crashes: a culprit that cannot be measured beside its parent has not passed the check", "[bisect]") {
  CrashingProber prober(noisy_day(),
                        [](const std::string& reference, const std::string&, int) { return reference == id_of(39); });
  const auto answer = search(prober);
  REQUIRE(answer);
  CHECK(answer->suspects.empty());
  CHECK(answer->steps.empty());
  CHECK(answer->reason.find("cannot be measured beside its parent") != std::string::npos);
  CHECK(answer->reason.find("SIGSEGV") != std::string::npos);
  CHECK(answer->change == test::Approx(0.2).margin(0.04));
}

TEST_CASE("Crashes: readings from before the last crash count", "[bisect]") {
  // Commit 35 gives two readings and crashes ever after.
  CrashingProber prober(noisy_day(), [](const std::string&, const std::string& probe, int ordinal) {
    return probe == id_of(35) && ordinal >= 1;
  });
  const auto answer = search(prober);
  REQUIRE(answer);
  CHECK(answer->suspects == std::vector<std::string>{id_of(40)});
}

}  // namespace tbci::crashes_test
