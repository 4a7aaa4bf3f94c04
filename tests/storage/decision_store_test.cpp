#include "storage/decision_store.hpp"

#include <fmt/format.h>

#include "storage/night_store.hpp"
#include "tests/storage/stores.hpp"

namespace tbci::decision_store_test {

using namespace tbci::test;
using model::Standing;
using model::Verdict;
using storage::DecisionStore;
using storage::NightStore;

namespace {

const model::Series dlrm = {"dlrm", model::Configuration::cpu_train, model::Metric::time};

std::int64_t regression_in(Fixture& fixture, const std::string& night) {
  NightStore nights(fixture.database());
  const auto id = must(nights.begin({"demo", night, ""}, at(0))).id;
  return must(nights.add_regression(id, {dlrm, Verdict::regression, 1, 2, 1, 1, 1, 8, "why"})).id;
}

}  // namespace

TEST_CASE("DecisionStore: a standing and all decisions that led to it survive a reopening", "[storage]") {
  Fixture fixture;
  const auto id = regression_in(fixture, "2026-01-06");
  must(DecisionStore(fixture.database()).decide({0, id, Standing::accepted, "ada", "wanted", at(5)}));
  must(DecisionStore(fixture.database()).decide({0, id, Standing::open, "bob", "not wanted", at(6)}));
  fixture.reopen();
  CHECK(must(NightStore(fixture.database()).regression(id)).standing == Standing::open);
  const auto decisions = must(DecisionStore(fixture.database()).of_regression(id));
  REQUIRE(decisions.size() == 2);
  CHECK(decisions[0].standing == Standing::accepted);
  CHECK(decisions[0].person == "ada");
  CHECK(decisions[0].reason == "wanted");
  CHECK(decisions[0].decided == at(5));
  CHECK(decisions[1].person == "bob");
  CHECK_FALSE(DecisionStore(fixture.database()).decide({0, 99, Standing::open, "ada", "", at(6)}).has_value());
  CHECK(must(DecisionStore(fixture.database()).of_regression(99)).empty());
}

TEST_CASE("DecisionStore: clear looks count back to the last night that was not clear", "[storage]") {
  Fixture fixture;
  NightStore nights(fixture.database());
  DecisionStore decisions(fixture.database());
  const auto id = regression_in(fixture, "2026-01-01");
  const auto look = [&](const std::string& name, Verdict verdict) {
    must(decisions.keep_recovery_look(id, {must(nights.begin({"demo", name, ""}, at(0))).id, verdict, {}}));
  };
  CHECK(must(decisions.clear_looks(id)) == 0);
  CHECK_FALSE(must(decisions.latest_look(id)));
  look("2026-01-02", Verdict::clear);
  CHECK(must(decisions.latest_look(id)) == Verdict::clear);
  look("2026-01-03", Verdict::suspect);
  look("2026-01-04", Verdict::clear);
  look("2026-01-05", Verdict::clear);
  CHECK(must(decisions.clear_looks(id)) == 2);
  CHECK(must(decisions.latest_look(id)) == Verdict::clear);
  look("2026-01-05", Verdict::inconclusive);  // the same night once more: the later word counts
  CHECK(must(decisions.clear_looks(id)) == 0);
  const auto night = must(nights.find("demo", "2026-01-05"))->id;
  CHECK(must(decisions.has_recovery_look(id, night)));
  must(decisions.forget_recovery_looks(id));
  CHECK_FALSE(must(decisions.has_recovery_look(id, night)));
}

TEST_CASE("DecisionStore: an open regression that ten nights could not look at is unwatched", "[storage]") {
  Fixture fixture;
  NightStore nights(fixture.database());
  DecisionStore decisions(fixture.database());
  const auto id = regression_in(fixture, "2026-01-01");
  const auto other = must(nights.begin({"other", "2026-01-01", ""}, at(0))).id;
  must(nights.add_regression(other, {dlrm, Verdict::regression, 1, 2, 1, 1, 1, 8, "why"}));
  const auto pass = [&](int day, model::Stage end) {
    const auto night = must(nights.begin({"demo", fmt::format("2026-01-{:02}", day), ""}, at(0))).id;
    must(nights.put_finding(night, storage::Phase::screen, {dlrm, Verdict::clear, 1, 1, 0, 0, 0, 3, "same"}));
    must(nights.finish(night, end, "", at(1)));
    return night;
  };
  must(decisions.keep_recovery_look(id, {pass(2, model::Stage::done), Verdict::suspect, {}}));
  for (int day = 3; day < 12; ++day) pass(day, model::Stage::done);
  pass(12, model::Stage::failed);
  must(nights.finish(must(nights.begin({"demo", "2026-01-12b", ""}, at(0))).id, model::Stage::done, "", at(1)));
  const auto broken = must(nights.begin({"demo", "2026-01-12c", ""}, at(0))).id;
  must(nights.put_finding(broken, storage::Phase::screen, {dlrm, Verdict::inconclusive, 0, 0, 0, 0, 0, 0, "fails"}));
  must(nights.finish(broken, model::Stage::done, "", at(1)));
  CHECK(must(decisions.unwatched("demo")).empty());
  const auto tenth = pass(13, model::Stage::done);
  const auto unwatched = must(decisions.unwatched("demo"));
  REQUIRE(unwatched.size() == 1);
  CHECK(unwatched[0].id == id);
  CHECK(unwatched[0].series == dlrm);
  CHECK(unwatched[0].last_night == "2026-01-02");
  CHECK(must(decisions.unwatched("other")).empty());
  must(decisions.keep_recovery_look(id, {tenth, Verdict::suspect, {}}));
  CHECK(must(decisions.unwatched("demo")).empty());
  for (int day = 14; day < 24; ++day) pass(day, model::Stage::done);
  CHECK(must(decisions.unwatched("demo")).size() == 1);
  must(decisions.decide({0, id, Standing::dismissed, "ada", "long gone", at(5)}));
  CHECK(must(decisions.unwatched("demo")).empty());
}

TEST_CASE("DecisionStore: a mute holds for its series and subject until its end", "[storage]") {
  Fixture fixture;
  DecisionStore decisions(fixture.database());
  must(decisions.mute({"demo", dlrm, at(100), "ada", "moving", at(1)}));
  must(decisions.mute({"demo", dlrm, at(50), "bob", "sooner", at(2)}));
  CHECK(must(decisions.muted("demo", dlrm, at(49)))->person == "bob");
  CHECK_FALSE(must(decisions.muted("demo", dlrm, at(50))));
  CHECK_FALSE(must(decisions.muted("other", dlrm, at(1))));
  CHECK(must(decisions.mutes("demo", at(10))).size() == 1);
  CHECK(must(decisions.mutes("demo", at(60))).empty());
}

TEST_CASE("DecisionStore: a person decides while another process writes", "[storage]") {
  Fixture fixture;
  const auto id = regression_in(fixture, "2026-01-06");
  auto beside = must(storage::Database::open(fixture.database().path(), storage::Access::decisions));
  must(DecisionStore(beside).decide({0, id, Standing::dismissed, "ada", "noise", at(5)}));
  CHECK(must(NightStore(fixture.database()).regression(id)).standing == Standing::dismissed);
}

TEST_CASE("DecisionStore: the looks at a regression come the newest first, until it is opened again", "[storage]") {
  Fixture fixture;
  NightStore nights(fixture.database());
  DecisionStore decisions(fixture.database());
  const auto id = regression_in(fixture, "2026-01-01");
  const auto look = [&](const std::string& name, Verdict verdict, std::optional<double> effect) {
    const auto night = must(nights.begin({"demo", name, ""}, at(0))).id;
    must(decisions.keep_recovery_look(id, {night, verdict, effect}));
    return night;
  };
  const auto older = look("2026-01-02", Verdict::regression, 0.25), newer = look("2026-01-03", Verdict::clear, {});
  const auto looks = must(decisions.recovery_looks(id));
  REQUIRE(looks.size() == 2);
  CHECK(looks[0].night_id == newer);
  CHECK(looks[0].verdict == Verdict::clear);
  CHECK_FALSE(looks[0].effect);
  CHECK(looks[1].night_id == older);
  CHECK(looks[1].effect == 0.25);
  must(decisions.forget_recovery_looks(id));
  CHECK(must(decisions.recovery_looks(id)).empty());
}

}  // namespace tbci::decision_store_test
