#include "pipeline/bisect/bisecting.hpp"

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

}  // namespace tbci::bisecting_test
