// Series that one commit made worse: the clearest one finds it, the others look there first.
#include <set>
#include <string>
#include <vector>

#include "bisect/bisection.hpp"
#include "tests/bisect/watched_bisection.hpp"
#include "tests/catch.hpp"

namespace tbci::shared_culprit_test {

using test::bert;
using test::bisect_with;
using test::dlrm;
using test::FakeDay;
using test::FakeProber;
using test::ids;

namespace {

const model::Series resnet = {"resnet18", model::Configuration::cpu_train, model::Metric::time};

/// The commits at which a case was measured, without the ends.
std::set<std::string> measured_at(const std::vector<model::Probe>& probes, const model::Series& series) {
  std::set<std::string> commits;
  for (const model::Probe& probe : probes) {
    if (probe.series == series && probe.commit != test::id_of(0) && probe.commit != test::id_of(70))
      commits.insert(probe.commit);
  }
  return commits;
}

}  // namespace

TEST_CASE("Shared culprits: a weaker series is measured where a clearer one found the culprit", "[bisect][long]") {
  for (std::size_t culprit = 2; culprit <= 69; ++culprit) {
    FakeDay day;
    day.noise = 0.02;
    day.seed = 7;
    day.faults = {{culprit, bert, 1.12}, {culprit, dlrm, 1.6}};  // the weaker one is named first
    FakeProber prober(day);
    test::RecordingObserver observer;
    const auto answers = bisect::bisect(test::commits_of(day), {bert, dlrm}, {}, prober, observer, {});
    REQUIRE(answers);
    INFO("culprit " << culprit);
    CHECK(answers->at(0).suspects == ids(culprit, culprit));
    CHECK(answers->at(1).suspects == ids(culprit, culprit));
    CHECK(prober.search_builds() <= 7);
    CHECK(measured_at(observer.probes, bert).size() <= 3);  // the culprit, its parent, and one that halves the rest
  }
}

TEST_CASE("Shared culprits: a weaker series with a culprit of its own is exact, wherever that lies", "[bisect][long]") {
  for (std::size_t own = 1; own <= 70; ++own) {
    if (own == 33) continue;
    FakeDay day;
    day.noise = 0.01;
    day.faults = {{own, bert, 1.1}, {33, dlrm, 1.6}};
    FakeProber prober(day);
    const auto answers = bisect_with(prober, day, {bert, dlrm});
    REQUIRE(answers);
    INFO("own culprit " << own);
    CHECK(answers->at(0).suspects == ids(own, own));
    CHECK(answers->at(1).suspects == ids(33, 33));
    CHECK(prober.search_builds() <= 7 + 7);  // as many as each alone takes at most
  }
}

TEST_CASE("Shared culprits: a weaker series with both a shared culprit and one of its own names both", "[bisect]") {
  for (const std::size_t own : {2U, 20U, 34U, 60U, 70U}) {
    FakeDay day;
    day.noise = 0.01;
    day.faults = {{33, dlrm, 1.6}, {33, resnet, 1.1}, {own, resnet, 1.1}};
    FakeProber prober(day);
    const auto answers = bisect_with(prober, day, {dlrm, resnet});
    REQUIRE(answers);
    INFO("own culprit " << own);
    REQUIRE(answers->at(1).steps.size() == 2);
    std::set<std::vector<std::string>> named;
    for (const model::FoundStep& step : answers->at(1).steps) named.insert(step.suspects);
    CHECK(named == std::set<std::vector<std::string>>{ids(33, 33), ids(own, own)});
  }
}

TEST_CASE("Shared culprits: what is found for one series is not taken over by one that shows no step there",
          "[bisect]") {
  FakeDay day;
  day.noise = 0.02;
  day.faults = {{33, dlrm, 1.6}};
  FakeProber prober(day);
  const auto answers = bisect_with(prober, day, {dlrm, bert});
  REQUIRE(answers);
  CHECK(answers->at(0).suspects == ids(33, 33));
  CHECK(answers->at(1).suspects.empty());
  CHECK(answers->at(1).reason.find("do not differ") != std::string::npos);
}

}  // namespace tbci::shared_culprit_test
