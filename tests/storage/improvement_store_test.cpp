#include "storage/improvement_store.hpp"

#include "storage/bisection_store.hpp"
#include "storage/night_store.hpp"
#include "tests/storage/stores.hpp"

namespace tbci::improvement_store_test {

using namespace tbci::test;
using model::ImprovementState;
using model::Verdict;
using storage::ImprovementStore;
using storage::NightStore;

namespace {

const model::Series dlrm = {"dlrm", model::Configuration::cpu_train, model::Metric::time};

std::int64_t night_in(Fixture& fixture, const std::string& name) {
  return must(NightStore(fixture.database()).begin({"demo", name, ""}, at(0))).id;
}

model::Finding faster() {
  return {dlrm, Verdict::improvement, 10, 8, -0.2, -0.22, -0.18, 8, "10 ns became 8 ns"};
}

std::int64_t regression_in(Fixture& fixture, std::int64_t night) {
  return must(NightStore(fixture.database()).add_regression(night, {dlrm, Verdict::regression, 1, 2, 1, 1, 1, 8, ""}))
      .id;
}

}  // namespace

TEST_CASE("ImprovementStore: an improvement and its commits survive a reopening, beside the regressions", "[storage]") {
  Fixture fixture;
  const auto night = night_in(fixture, "2026-01-06");
  auto improvement = must(ImprovementStore(fixture.database()).add(night, faster(), "2026-01-03"));
  CHECK(improvement.state == ImprovementState::confirmed);
  const auto again = must(ImprovementStore(fixture.database()).add(night, faster(), "2026-01-05"));
  CHECK(again.id == improvement.id);
  CHECK(again.old_build == "2026-01-03");
  CHECK(must(ImprovementStore(fixture.database()).waiting("demo")).size() == 1);
  CHECK(must(ImprovementStore(fixture.database()).waiting("other")).empty());
  improvement.state = ImprovementState::attributed;
  improvement.suspects = {"c1", "c2"};
  improvement.reason = "c1 does not build";
  must(ImprovementStore(fixture.database()).update(improvement));
  fixture.reopen();
  ImprovementStore store(fixture.database());
  const auto found = must(store.get(improvement.id));
  CHECK(found.night_id == night);
  CHECK(found.finding.series == dlrm);
  CHECK(found.finding.verdict == Verdict::improvement);
  CHECK(found.finding.change == -0.2);
  CHECK(found.state == ImprovementState::attributed);
  CHECK(found.suspects == std::vector<std::string>{"c1", "c2"});
  CHECK(found.reason == "c1 does not build");
  CHECK(must(store.waiting("demo")).empty());
  CHECK(must(store.of_night(night)).size() == 1);
  CHECK(must(store.of_series("demo", dlrm)).size() == 1);
  CHECK(must(store.of_series("other", dlrm)).empty());
  CHECK(must(NightStore(fixture.database()).regressions(night)).empty());
  CHECK(error_of(store.get(99)).kind == ErrorKind::usage);
}

TEST_CASE("ImprovementStore: nothing but an improvement is kept as one", "[storage]") {
  Fixture fixture;
  model::Finding slower = faster();
  slower.verdict = Verdict::regression;
  CHECK_FALSE(ImprovementStore(fixture.database()).add(night_in(fixture, "2026-01-06"), slower, "x").has_value());
}

TEST_CASE("ImprovementStore: tries are kept for each night, and forgotten", "[storage]") {
  Fixture fixture;
  const auto night = night_in(fixture, "2026-01-06");
  CHECK(must(ImprovementStore(fixture.database()).tries_of(night)).tries == 0);
  must(ImprovementStore(fixture.database())
           .put_tries({.night_id = night, .tries = 2, .next = at(9), .reason = "no space", .mark = "m"}));
  fixture.reopen();
  ImprovementStore store(fixture.database());
  const auto tried = must(store.tries_of(night));
  CHECK(tried.tries == 2);
  CHECK(tried.next == at(9));
  CHECK(tried.reason == "no space");
  CHECK(tried.mark == "m");
  must(store.remove_tries(night));
  CHECK_FALSE(must(store.tries_of(night)).mark);
}

TEST_CASE("ImprovementStore: the end of a regression is found by what brought it and by its night", "[storage]") {
  Fixture fixture;
  const auto since = night_in(fixture, "2026-01-06"), gone = night_in(fixture, "2026-01-07");
  const auto regression = regression_in(fixture, since);
  ImprovementStore store(fixture.database());
  CHECK_FALSE(must(store.ending_of(regression)));
  const auto improvement = must(store.add(gone, faster(), "2026-01-06"));
  model::Ending ending{.regression_id = regression, .night_id = gone, .since_id = since};
  must(store.put_ending(ending));
  CHECK(must(store.untold_endings("demo")).size() == 1);
  CHECK(must(store.untold_endings("other")).empty());
  ending.improvement_id = improvement.id;
  ending.revert_commit = "c1";
  ending.told = true;
  must(store.put_ending(ending));
  CHECK(must(store.untold_endings("demo")).empty());
  const auto found = must(store.ending_of(regression));
  REQUIRE(found);
  CHECK(found->night_id == gone);
  CHECK(found->since_id == since);
  CHECK(found->revert_commit == "c1");
  CHECK(found->told);
  CHECK(must(store.endings_by(improvement.id)).size() == 1);
  CHECK(must(store.endings_on(gone)).size() == 1);
  CHECK(must(store.endings_on(since)).empty());
}

}  // namespace tbci::improvement_store_test
