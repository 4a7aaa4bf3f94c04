#include "storage/build_store.hpp"
#include "storage/run_store.hpp"
#include "tests/storage/stores.hpp"

namespace tbci::runner_runs_test {

using namespace tbci::test;
using storage::RunStore;

TEST_CASE("RunStore: the runs of a build are those that measured it, the latest first", "[storage]") {
  Fixture fixture;
  RunStore runs(fixture.database());
  const auto build_of = [&](const char* name) {
    return must(storage::BuildStore(fixture.database()).begin("demo", model::BuildKind::nightly, name, at(0))).id;
  };
  const auto run_of = [&](const char* subject, const char* key, const char* runner) {
    return must(runs.begin({.subject = subject, .key = key, .purpose = model::Purpose::manual, .runner = runner},
                           model::Environment{{{"cpu", "A"}}}, at(1)))
        .id;
  };
  const auto add = [&](std::int64_t run, std::int64_t build, int ordinal) {
    model::Measurement measurement;
    measurement.measured = {"dlrm", model::Configuration::cpu_train};
    must(runs.add({.run_id = run, .build_id = build, .ordinal = ordinal}, measurement));
  };
  const auto build = build_of("2026-01-07"), other = build_of("2026-01-08");
  const auto first = run_of("demo", "a", "this"), second = run_of("demo", "b", "this");
  const auto third = run_of("demo", "c", "this");
  run_of("demo", "empty", "this");
  run_of("demo", "x", "that");
  run_of("else", "x", "zeta");
  add(first, build, 0);
  add(first, build, 1);
  add(third, build, 0);
  add(second, other, 0);
  CHECK(must(runs.runners("demo")) == std::vector<std::string>{"that", "this"});
  CHECK(must(runs.measured_builds("demo", "this")) == std::vector<std::string>{"2026-01-08", "2026-01-07"});
  CHECK(must(runs.measured_builds("demo", "that")).empty());
  const auto found = must(runs.runs_of_build(build));
  REQUIRE(found.size() == 2);
  CHECK(found[0].id == third);
  CHECK(found[1].id == first);
}

}  // namespace tbci::runner_runs_test
