#include <optional>
#include <string>
#include <vector>

#include "storage/build_store.hpp"
#include "storage/run_store.hpp"
#include "tests/storage/stores.hpp"

namespace tbci::outcome_history_test {

using namespace tbci::test;
using model::Outcome;

namespace {

const model::Case measured_case = {"dlrm", model::Configuration::cpu_train};

model::Measurement ended(Outcome outcome, const std::string& message = "", const std::string& details = "") {
  model::Measurement measurement;
  measurement.measured = measured_case;
  measurement.outcome = outcome;
  measurement.message = message;
  measurement.details = details;
  return measurement;
}

}  // namespace

TEST_CASE("RunStore: how the processes of a case ended on the newest nightlies, without a night's own runs",
          "[storage]") {
  Fixture fixture;
  storage::RunStore runs(fixture.database());
  const auto build = [&](const std::string& name) {
    return must(storage::BuildStore(fixture.database()).begin("demo", model::BuildKind::nightly, name, at(0))).id;
  };
  const auto run = [&](const std::string& key, int when) {
    return must(runs.begin({"demo", key, model::Purpose::screen, "this"}, {{{"cpu", "quick"}}}, at(when))).id;
  };
  const auto earlier = run("earlier", 1), later = run("later", 5);
  const auto oldest = build("2026-01-05"), old = build("2026-01-06"), newest = build("2026-01-07");
  const auto crashed = ended(Outcome::crashed, "killed by SIGSEGV", "frame #0");
  for (const auto id : {oldest, old, newest}) must(runs.add({earlier, id, 0}, ended(Outcome::done)));
  must(runs.add({earlier, old, 1}, crashed));
  must(runs.add({earlier, old, 2}, ended(Outcome::unsupported)));
  must(runs.add({later, old, 0}, crashed));

  const auto history = [&](const storage::HistoryWindow& window, const std::string& left_out) {
    std::vector<std::string> found;
    for (const auto& one : must(runs.outcome_history("demo", measured_case, window, left_out)))
      found.push_back(one.nightly + " " + std::string(to_string(one.outcome)) + one.message + one.details);
    return found;
  };
  using Found = std::vector<std::string>;
  const std::string crash = "2026-01-06 crashedkilled by SIGSEGVframe #0";
  CHECK(history({.newest = 2, .before = "2026-01-07"}, "later") == Found{"2026-01-05 done", "2026-01-06 done", crash});
  CHECK(history({.newest = 2}, "other") == Found{"2026-01-06 done", crash, crash, "2026-01-07 done"});
  CHECK(history({.newest = 2}, "earl") == Found{crash});
}

TEST_CASE("RunStore: how many cases of a build ran in the screens of each runner and environment", "[storage]") {
  Fixture fixture;
  storage::RunStore runs(fixture.database());
  const auto build =
      must(storage::BuildStore(fixture.database()).begin("demo", model::BuildKind::nightly, "2026-01-05", at(0))).id;
  const auto run = [&](const std::string& key, const std::string& runner, model::Purpose purpose) {
    return must(runs.begin({"demo", key, purpose, runner}, {{{"cpu", "quick"}}}, at(1))).id;
  };
  const auto add = [&](std::int64_t run_id, const std::string& benchmark, int ordinal, model::Measurement one) {
    one.measured.benchmark = benchmark;
    must(runs.add({run_id, build, ordinal}, one));
  };
  const auto screen = run("1/screen", "here", model::Purpose::screen);
  add(screen, "runs now and then", 0, ended(Outcome::crashed));
  add(screen, "runs now and then", 1, ended(Outcome::done));
  add(screen, "runs", 0, ended(Outcome::done));
  add(screen, "crashes", 0, ended(Outcome::crashed));
  add(screen, "unsupported", 0, ended(Outcome::unsupported));
  auto infinite = ended(Outcome::done);
  infinite.finite = false;
  add(screen, "infinite", 0, infinite);
  add(run("1/confirm", "here", model::Purpose::confirm), "only confirmed", 0, ended(Outcome::done));
  add(run("2/screen", "there", model::Purpose::screen), "crashes", 0, ended(Outcome::crashed));
  const auto screened = must(runs.screened_cases(build));
  REQUIRE(screened.size() == 2);
  CHECK(screened[0].runner == "here");
  CHECK(screened[0].ran == 2);
  CHECK(screened[0].failed == 2);
  CHECK(screened[1].runner == "there");
  CHECK(screened[1].ran == 0);
  CHECK(screened[1].failed == 1);
  CHECK(screened[0].environment == screened[1].environment);
  CHECK(must(runs.screened_cases(99)).empty());
}

}  // namespace tbci::outcome_history_test
