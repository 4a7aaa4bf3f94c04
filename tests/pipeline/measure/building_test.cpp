#include "pipeline/measure/building.hpp"

#include "tests/catch.hpp"
#include "tests/pipeline/fake_subject.hpp"

namespace tbci::building_test {

using namespace tbci::test;

using namespace tbci::pipeline;
using namespace std::chrono_literals;

namespace {

struct Built {
  TemporaryDirectory state;
  FakeMachine machine{2};
  Bench bench{state.path(), machine};

  void build(const std::string& commit, const std::string& library, std::chrono::milliseconds begun,
             std::chrono::milliseconds took) {
    storage::BuildStore& builds = bench.stores().builds;
    const auto id = builds.begin("fake", model::BuildKind::commit, commit, TimePoint(begun)).value().id;
    model::Product product;
    product.libtorch = state.path();
    product.preload = {state.path() / library};
    product.commit = commit;
    REQUIRE(builds.ready(id, product, TimePoint(begun + took)));
  }
};

}  // namespace

TEST_CASE("Building: how long a build takes is the median of those that were really made", "[building]") {
  Built at;
  REQUIRE(time_of_one_build(at.bench.context()));
  CHECK_FALSE(time_of_one_build(at.bench.context())->has_value());
  at.build("a", "one.so", 0s, 30s);
  at.build("b", "two.so", 100s, 50s);
  at.build("c", "three.so", 200s, 40s);
  for (int i = 0; i < 5; ++i) at.build("again " + std::to_string(i), "two.so", 300s, 2ms);  // a document changed
  CHECK(**time_of_one_build(at.bench.context()) == 40s);
}

TEST_CASE("Building: what another recipe or compiler built is built again", "[building]") {
  Built at;
  const std::string commit = at.machine.history[1].id;
  const auto builds = [&] { return std::ranges::count(at.machine.effects, "build " + commit); };
  REQUIRE(build_commit(at.bench.context(), commit));
  REQUIRE(build_commit(at.bench.context(), commit));
  CHECK(builds() == 1);
  at.machine.outdated = {commit};
  REQUIRE(build_commit(at.bench.context(), commit)->state == model::BuildState::ready);
  CHECK(builds() == 2);
  at.machine.outdated.clear();
  REQUIRE(build_commit(at.bench.context(), commit));
  CHECK(builds() == 2);
}

TEST_CASE("Building: what is killed is made once more, then it is what does not build", "[building]") {
  Built at;
  const std::string commit = at.machine.history[1].id;
  int attempts = 0;
  at.machine.before_effect = [&](const std::string&) -> Status {
    ++attempts;
    return fail(ErrorKind::killed, "make: the build exceeded its time limit of 4 h");
  };
  const auto hanging = build_commit(at.bench.context(), commit);
  REQUIRE(hanging);
  CHECK(hanging->state == model::BuildState::failed);
  CHECK(hanging->failure.find("time limit") != std::string::npos);
  CHECK(attempts == 2);
  REQUIRE(build_commit(at.bench.context(), commit));
  CHECK(attempts == 2);

  const auto nightly = install_nightly(at.bench.context(), {"2026-01-06", commit});
  REQUIRE_FALSE(nightly);
  CHECK(nightly.error().kind == ErrorKind::failed);
  CHECK(attempts == 4);
  CHECK_FALSE(install_nightly(at.bench.context(), {"2026-01-06", commit}));
  CHECK(attempts == 4);
}

TEST_CASE("Building: a commit that did not build is tried again once that is forgotten", "[building]") {
  Built at;
  const std::string commit = at.machine.history[1].id;
  at.machine.unbuildable.insert(1);
  REQUIRE(build_commit(at.bench.context(), commit)->state == model::BuildState::failed);
  at.build("ready", "one.so", 0s, 30s);
  at.machine.unbuildable.clear();
  CHECK(build_commit(at.bench.context(), commit)->state == model::BuildState::failed);
  REQUIRE(forget_failed_commits(at.bench.context()));
  CHECK(build_commit(at.bench.context(), commit)->state == model::BuildState::ready);
  const auto other = at.bench.stores().builds.find("fake", model::BuildKind::commit, "ready").value();
  CHECK(other->state == model::BuildState::ready);
}

TEST_CASE("Building: what was killed once and is then made counts as made", "[building]") {
  Built at;
  int attempts = 0;
  at.machine.before_effect = [&](const std::string&) -> Status {
    if (++attempts == 1) return fail(ErrorKind::killed, "make: killed by SIGKILL");
    return {};
  };
  const auto build = build_commit(at.bench.context(), at.machine.history[1].id);
  REQUIRE(build);
  CHECK(build->state == model::BuildState::ready);
  CHECK(attempts == 2);
}

TEST_CASE("Building: the attempts are counted over a kill of tbci, which itself is not one", "[building]") {
  const TemporaryDirectory state;
  FakeMachine machine(2);
  const std::string commit = machine.history[1].id;
  // Each entry: how the next attempt ends. A program that is killed in the middle of one is started again.
  const std::vector<ErrorKind> ends = {ErrorKind::interrupted, ErrorKind::killed, ErrorKind::interrupted,
                                       ErrorKind::interrupted, ErrorKind::killed};
  std::size_t attempts = 0;
  machine.before_effect = [&](const std::string&) -> Status { return fail(ends.at(attempts++), "ended"); };
  for (int start = 1; start <= 4; ++start) {
    Bench bench(state.path(), machine);
    const auto build = build_commit(bench.context(), commit);
    CHECK(bool(build) == (start == 4));
    if (build) CHECK(build->state == model::BuildState::failed);
  }
  CHECK(attempts == ends.size());
}

TEST_CASE("Building: the latest build is one whose files are still there", "[building]") {
  Built at;
  CHECK_FALSE(latest_build(at.bench.context())->has_value());
  at.build("a", ".", 0s, 30s);
  at.build("gone", "removed.so", 100s, 30s);
  const auto latest = latest_build(at.bench.context());
  REQUIRE(latest);
  REQUIRE(latest->has_value());
  CHECK((*latest)->name == "a");
}

TEST_CASE("Building: a nightly that was installed once is known by its name, also where the index has forgotten it",
          "[building]") {
  Built at;
  const std::string commit = at.machine.history[0].id;
  REQUIRE(install_nightly(at.bench.context(), {.name = "2026-01-05", .commit = commit}));
  at.machine.listed_from = 1;
  const auto effects = at.machine.effects;
  const auto build = build_named(at.bench.context(), "2026-01-05");
  REQUIRE(build);
  CHECK(build->kind == model::BuildKind::nightly);
  CHECK(build->product.commit == commit);
  CHECK(at.machine.effects == effects);
  CHECK(build_named(at.bench.context(), "2026-01-04").error().kind == ErrorKind::usage);
}

TEST_CASE("Building: a whole hash is built without asking the index, which may not answer", "[building]") {
  Built at;
  const std::string commit = "0123456789012345678901234567890123456789";
  at.machine.history[1].id = commit;
  at.machine.before_list = [] { return fail(ErrorKind::transient, "the index does not answer"); };
  const auto build = build_named(at.bench.context(), commit);
  INFO((build ? "" : build.error().message));
  REQUIRE(build);
  CHECK(build->kind == model::BuildKind::commit);
  CHECK(build->product.commit == commit);
  CHECK(build_named(at.bench.context(), "2026-01-05").error().kind == ErrorKind::transient);
  // Without a repository it can only be a name that the index does not have.
  at.bench.config().subjects.front().source.repository.clear();
  CHECK(build_named(at.bench.context(), "ffffffffffffffffffffffffffffffffffffffff").error().kind ==
        ErrorKind::transient);
}

TEST_CASE("Building: a commit that does not build says how it is tried again", "[building]") {
  Built at;
  const std::string commit = at.machine.history[1].id;
  at.machine.unbuildable.insert(1);
  const auto build = build_named(at.bench.context(), commit);
  REQUIRE_FALSE(build);
  CHECK(build.error().kind == ErrorKind::failed);
  CHECK(build.error().message.find("--again") != std::string::npos);
}

TEST_CASE("Building: a nightly that does not install any more still says which commit it was", "[building]") {
  Built at;
  const std::string commit = at.machine.history[0].id;
  const auto build = install_nightly(at.bench.context(), {.name = "2026-01-05", .commit = commit});
  REQUIRE(build);
  REQUIRE(at.bench.stores().builds.failed(build->id, "no matching distribution", TimePoint(0s)));
  const auto known = known_nightly(at.bench.context(), {.name = "2026-01-05", .commit = {}});
  REQUIRE(known);
  CHECK(known->product.commit == commit);
}

}  // namespace tbci::building_test
