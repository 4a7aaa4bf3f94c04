#include "pipeline/night/waiting_nights.hpp"

#include <algorithm>

#include "pipeline/pipeline.hpp"
#include "tests/catch.hpp"
#include "tests/pipeline/fake_subject.hpp"

namespace tbci::waiting_nights_test {

using namespace tbci::test;

using namespace std::chrono_literals;
using model::Stage;
using pipeline::judge_waiting_nights;
using pipeline::search_waiting_night;

namespace {

/// Nightlies of 2026-01-05, 06, ...: 05 is the first baseline.
struct Days {
  TemporaryDirectory folder;
  FakeMachine machine{101};
  Bench bench{folder.path(), machine};

  explicit Days(std::size_t days) { publish(days); }
  void publish(std::size_t days) {
    machine.days.clear();
    for (std::size_t day = 0; day < days; ++day) machine.days.push_back(day * 20);
  }
  Stage stage(const std::string& night) {
    const auto found = bench.stores().nights.find("fake", night).value();
    REQUIRE(found);
    return found->stage;
  }
  bool is_known(const std::string& night) { return bench.stores().nights.find("fake", night).value().has_value(); }
  void fail_on(const std::string& commit) {
    machine.before_effect = [commit](const std::string& effect) -> Status {
      if (effect.find(commit) == std::string::npos) return {};
      return fail(ErrorKind::machine, "a broken disk");
    };
  }
};

}  // namespace

TEST_CASE("Waiting nights: one that fails does not keep the later ones waiting, and is given up in the end",
          "[waiting]") {
  Days days(2);
  days.bench.config().service.tries = 4;
  REQUIRE(judge_waiting_nights(days.bench.context()));
  days.fail_on(days.machine.history[40].id);  // the nightly of the 7th
  days.publish(3);
  const auto first = judge_waiting_nights(days.bench.context());
  REQUIRE(first);
  REQUIRE(*first);
  CHECK(**first == days.bench.clock().now() + 10min);
  days.publish(5);
  REQUIRE(judge_waiting_nights(days.bench.context()));
  CHECK(days.stage("2026-01-08") == Stage::done);
  CHECK(days.stage("2026-01-09") == Stage::done);
  CHECK(days.stage("2026-01-07") == Stage::measure);
  for (int i = 0; i < 3; ++i) {
    days.bench.clock().advance(6h);
    REQUIRE(judge_waiting_nights(days.bench.context()));
  }
  CHECK(days.stage("2026-01-07") == Stage::failed);
  const auto effects = days.machine.effects.size();
  days.bench.clock().advance(24h);
  const auto after = judge_waiting_nights(days.bench.context());
  REQUIRE(after);
  CHECK_FALSE(*after);
  CHECK(days.machine.effects.size() == effects);
}

TEST_CASE("Waiting nights: the verdicts of a new night come before the search of an older one", "[waiting]") {
  Days days(2);
  days.machine.slower["beta"] = {{10, 1.25}};
  REQUIRE(judge_waiting_nights(days.bench.context()));
  CHECK(days.stage("2026-01-06") == Stage::bisect);
  CHECK(std::none_of(days.machine.effects.begin(), days.machine.effects.end(),
                     [](const auto& effect) { return effect.starts_with("build "); }));
  days.publish(3);
  REQUIRE(judge_waiting_nights(days.bench.context()));
  CHECK(days.stage("2026-01-07") == Stage::done);  // compared with the 6th, which has its verdicts
  CHECK(days.bench.stores().nights.find("fake", "2026-01-07").value()->baseline == "2026-01-06");
  CHECK(days.stage("2026-01-06") == Stage::bisect);
  const auto searched = search_waiting_night(days.bench.context());
  REQUIRE(searched);
  CHECK(searched->worked);
  CHECK_FALSE(searched->next);
  CHECK(days.stage("2026-01-06") == Stage::done);
  const auto night = days.bench.stores().nights.find("fake", "2026-01-06").value();
  const auto regressions = days.bench.stores().nights.regressions(night->id).value();
  REQUIRE(regressions.size() == 1);
  CHECK(regressions[0].suspects == std::vector{days.machine.history[10].id});
  CHECK_FALSE(search_waiting_night(days.bench.context())->worked);
}

TEST_CASE("Waiting nights: a search pauses between two measurements, repeats nothing, and is not a failure",
          "[waiting]") {
  Days whole(2);
  whole.machine.slower["beta"] = {{10, 1.25}};
  REQUIRE(judge_waiting_nights(whole.bench.context()));
  REQUIRE(search_waiting_night(whole.bench.context()));

  Days days(2);
  days.machine.slower["beta"] = {{10, 1.25}};
  REQUIRE(judge_waiting_nights(days.bench.context()));
  days.bench.context().must_pause = [] { return true; };  // always: each call does one thing all the same
  int parts = 0;
  while (days.stage("2026-01-06") == Stage::bisect && parts < 1000) {
    const auto part = search_waiting_night(days.bench.context());
    REQUIRE(part);
    CHECK(part->worked);
    ++parts;
  }
  CHECK(parts > 3);
  CHECK(days.machine.effects == whole.machine.effects);
  CHECK(days.bench.stores().tries.troubled("fake", 7).value().empty());
}

TEST_CASE("Waiting nights: a search needs neither the index nor the files of the nightlies", "[waiting]") {
  Days days(2);
  days.machine.slower["beta"] = {{10, 1.25}};
  REQUIRE(judge_waiting_nights(days.bench.context()));
  days.publish(4);
  days.machine.listed_from = 2;
  days.machine.before_effect = [](const std::string& effect) -> Status {
    if (!effect.starts_with("install ")) return {};
    return fail(ErrorKind::failed, "no matching distribution");
  };
  REQUIRE(search_waiting_night(days.bench.context()));
  CHECK(days.stage("2026-01-06") == Stage::done);
  const auto night = days.bench.stores().nights.find("fake", "2026-01-06").value();
  CHECK(days.bench.stores().nights.regressions(night->id).value().at(0).suspects ==
        std::vector{days.machine.history[10].id});
}

TEST_CASE("Waiting nights: a night that left the index before it was installed comes to an end", "[waiting]") {
  Days days(2);
  days.machine.before_effect = [](const std::string&) -> Status { return fail(ErrorKind::transient, "no network"); };
  REQUIRE(judge_waiting_nights(days.bench.context()));
  REQUIRE(days.is_known("2026-01-06"));
  days.machine.before_effect = {};
  days.machine.listed_from = 2;
  days.publish(4);
  days.bench.clock().advance(1h);
  REQUIRE(judge_waiting_nights(days.bench.context()));
  CHECK(days.stage("2026-01-06") == Stage::failed);
  CHECK(days.stage("2026-01-08") == Stage::done);
}

}  // namespace tbci::waiting_nights_test
