#include "pipeline/bisect/bisecting.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "pipeline/pipeline.hpp"
#include "tests/catch.hpp"
#include "tests/pipeline/fake_subject.hpp"

namespace tbci::bisecting_test {

using namespace tbci::test;

TEST_CASE("Bisecting: a commit whose build hangs costs two attempts, and the night ends with its report",
          "[pipeline]") {
  const TemporaryDirectory folder;
  FakeMachine machine(71);
  machine.slower["beta"] = {{42, 1.2}};
  std::map<std::string, int> attempts;
  machine.before_effect = [&](const std::string& effect) -> Status {
    if (effect != "build " + machine.history[42].id && effect != "build " + machine.history[35].id) return {};
    ++attempts[effect];
    return fail(ErrorKind::killed, "make: the build exceeded its time limit of 4 h");
  };
  Bench bench(folder.path(), machine);
  const auto result = pipeline::check_night(bench.context());
  REQUIRE(result);
  CHECK(result->night.stage == model::Stage::done);
  REQUIRE(result->regressions.size() == 1);
  CHECK(result->regressions[0].suspects == std::vector{machine.history[42].id, machine.history[43].id});
  CHECK(result->regressions[0].reason.find("time limit") != std::string::npos);
  CHECK(result->reports.size() == 1);
  for (const auto& [effect, count] : attempts) CHECK(count == 2);
}

TEST_CASE("Bisecting: a process that crashes now and then costs a night nothing", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeMachine machine(71);
  machine.noise = 0.01;
  machine.slower["beta"] = {{42, 1.2}};
  machine.crash_one_in = 33;
  Bench bench(folder.path(), machine);
  const auto result = pipeline::check_night(bench.context());
  REQUIRE(result);
  REQUIRE(result->regressions.size() == 1);
  CHECK(result->regressions[0].suspects == std::vector{machine.history[42].id});
}

namespace {

// A day whose culprit is commit 42. The disk is full for some processes once a commit between the ends was built.
struct FullDisk {
  TemporaryDirectory folder;
  FakeMachine machine{71};
  std::optional<Bench> bench;

  explicit FullDisk(int processes) {
    machine.noise = 0.01;
    machine.slower["beta"] = {{42, 1.2}};
    machine.before_effect = [this, processes, builds = 0](const std::string& effect) mutable -> Status {
      if (effect.starts_with("build ") && ++builds == 4) machine.without_space = processes;
      return {};
    };
    bench.emplace(folder.path(), machine);
  }
};

}  // namespace

TEST_CASE("Bisecting: processes that find the disk full say nothing about a commit", "[pipeline]") {
  for (const bool alternating : {false, true}) {
    FullDisk day(0);
    day.machine.alternating = alternating;
    // Four of the first five processes of each commit between the ends: more than a search forgives, if they counted.
    std::map<std::string, int> processes;
    int troubled = 0;
    const std::string good = "measure " + day.machine.history.front().id;
    const std::string bad = "measure " + day.machine.history.back().id;
    day.machine.before_effect = [&](const std::string& effect) -> Status {
      const bool between = effect.starts_with("measure ") && !effect.starts_with(good) && !effect.starts_with(bad);
      if (!between) return {};
      const int process = processes[effect]++;
      if (process < 5 && process != 2) {
        day.machine.without_space = 1;
        ++troubled;
      }
      return {};
    };
    const auto result = pipeline::check_night(day.bench->context());
    INFO((result ? std::string() : result.error().message));
    REQUIRE(result);
    REQUIRE(result->regressions.size() == 1);
    CHECK(result->regressions[0].suspects == std::vector{day.machine.history[42].id});
    CHECK(troubled > 10);
  }
}

TEST_CASE("Bisecting: a disk that stays full ends the search for now, and the next try names the culprit",
          "[pipeline]") {
  FullDisk day(6);  // three pairs, both processes of each
  const auto cut_off = pipeline::check_night(day.bench->context());
  REQUIRE_FALSE(cut_off);
  CHECK(cut_off.error().kind == ErrorKind::machine);
  CHECK(cut_off.error().message.find("No space left on device") != std::string::npos);
  const auto result = pipeline::check_night(day.bench->context());
  REQUIRE(result);
  REQUIRE(result->regressions.size() == 1);
  CHECK(result->regressions[0].suspects == std::vector{day.machine.history[42].id});
}

TEST_CASE("Bisecting: a commit whose processes alone find the disk full is left out, and the others name the culprit",
          "[pipeline]") {
  for (const bool alternating : {false, true}) {
    FullDisk day(0);
    day.machine.alternating = alternating;
    std::string fills;  // the first commit between the ends that is measured
    day.machine.before_effect = [&](const std::string& effect) -> Status {
      if (!effect.starts_with("measure ")) return {};
      const std::string commit = effect.substr(8, 40);
      if (commit == day.machine.history.front().id || commit == day.machine.history.back().id) return {};
      if (fills.empty()) fills = commit;
      day.machine.without_space = commit == fills ? 1 : 0;
      return {};
    };
    const auto result = pipeline::check_night(day.bench->context());
    INFO((result ? std::string() : result.error().message));
    REQUIRE(result);
    REQUIRE_FALSE(fills.empty());
    REQUIRE(result->regressions.size() == 1);
    const auto& suspects = result->regressions[0].suspects;
    CHECK(std::ranges::find(suspects, day.machine.history[42].id) != suspects.end());
    CHECK(suspects.size() <= 2);
  }
}

TEST_CASE("Bisecting: a good end that finds the disk full as well ends the search until the next try", "[pipeline]") {
  FullDisk day(0);
  const std::string good = "measure " + day.machine.history.front().id;
  const std::string bad = "measure " + day.machine.history.back().id;
  std::string first;  // the first commit between the ends that is measured
  int troubled = 0;
  day.machine.before_effect = [&](const std::string& effect) -> Status {
    if (!effect.starts_with("measure ") || effect.starts_with(bad)) return {};
    const bool control = troubled == 3 && effect.starts_with(good);
    if (!control && effect.starts_with(good)) return {};
    if (first.empty()) first = effect;
    if (!control && effect != first) return {};
    day.machine.without_space = troubled < 4 ? 1 : 0;
    ++troubled;
    return {};
  };
  const auto cut_off = pipeline::check_night(day.bench->context());
  REQUIRE_FALSE(cut_off);
  CHECK(cut_off.error().kind == ErrorKind::machine);
  CHECK(troubled == 4);
  // The control is stored, and says no more of the next night than that night did.
  const auto result = pipeline::check_night(day.bench->context());
  REQUIRE(result);
  REQUIRE(result->regressions.size() == 1);
  CHECK(result->regressions[0].suspects == std::vector{day.machine.history[42].id});
}

}  // namespace tbci::bisecting_test
