#include "storage/try_store.hpp"

#include "storage/build_store.hpp"
#include "storage/night_store.hpp"
#include "tests/storage/stores.hpp"

namespace tbci::try_store_test {

using namespace tbci::test;
using model::Stage;
using storage::NightStore;
using storage::TryStore;

namespace {

std::int64_t night(Fixture& fixture, const std::string& name, const std::string& subject = "demo") {
  return must(NightStore(fixture.database()).begin({subject, name, "before"}, at(0))).id;
}

}  // namespace

TEST_CASE("TryStore: the tries of a night survive a reopening, and go with its end", "[storage]") {
  Fixture fixture;
  const auto id = night(fixture, "2026-01-07");
  CHECK(must(TryStore(fixture.database()).of_night(id)).tries == 0);
  must(TryStore(fixture.database())
           .put({.night_id = id,
                 .stage = Stage::confirm,
                 .tries = 3,
                 .next = at(7),
                 .reason = "no space",
                 .mark = "here",
                 .given_up = {}}));
  fixture.reopen();
  TryStore tries(fixture.database());
  const auto stored = must(tries.of_night(id));
  CHECK(stored.night_id == id);
  CHECK(stored.stage == Stage::confirm);
  CHECK(stored.tries == 3);
  CHECK(stored.next == at(7));
  CHECK(stored.reason == "no space");
  CHECK(stored.mark == "here");
  CHECK_FALSE(stored.given_up);
  must(tries.remove(id));
  CHECK(must(tries.of_night(id)).tries == 0);
  CHECK_FALSE(tries.put({.night_id = 99}).has_value());
}

TEST_CASE("TryStore: nights in trouble are those that failed in their last try, and those given up of late",
          "[storage]") {
  Fixture fixture;
  TryStore tries(fixture.database());
  const auto long_ago = night(fixture, "2026-01-01"), failing = night(fixture, "2026-01-02");
  const auto given_up = night(fixture, "2026-01-03"), fine = night(fixture, "2026-01-04");
  must(tries.put({.night_id = long_ago, .tries = 12, .given_up = at(1)}));
  must(tries.put({.night_id = failing, .tries = 2}));
  must(tries.put({.night_id = given_up, .tries = 12, .given_up = at(1)}));
  must(tries.put({.night_id = fine, .tries = 0}));
  must(tries.put({.night_id = night(fixture, "2026-01-05", "another"), .tries = 2}));
  const auto checked_by_hand = night(fixture, "2026-01-00");
  must(tries.put({.night_id = checked_by_hand, .tries = 2}));
  must(NightStore(fixture.database()).finish(checked_by_hand, Stage::done, "", at(1)));
  const auto troubled = must(tries.troubled("demo", 2));
  REQUIRE(troubled.size() == 2);
  CHECK(troubled[0].night == "2026-01-02");
  CHECK(troubled[0].tries.tries == 2);
  CHECK(troubled[1].night == "2026-01-03");
  CHECK(troubled[1].tries.given_up == at(1));
}

TEST_CASE("TryStore: the mark of progress changes with a stage and with a build", "[storage]") {
  Fixture fixture;
  TryStore tries(fixture.database());
  const auto id = night(fixture, "2026-01-07");
  const std::string first = must(tries.progress_mark(id));
  CHECK(must(tries.progress_mark(id)) == first);
  must(NightStore(fixture.database()).enter(id, Stage::measure));
  const std::string second = must(tries.progress_mark(id));
  CHECK(second != first);
  storage::BuildStore builds(fixture.database());
  must(builds.failed(must(builds.begin("demo", model::BuildKind::commit, "abc", at(1))).id, "no", at(2)));
  const std::string third = must(tries.progress_mark(id));
  CHECK(third != second);
  // The clock was set back meanwhile.
  must(builds.failed(must(builds.begin("demo", model::BuildKind::commit, "def", at(1))).id, "no", at(1)));
  CHECK(must(tries.progress_mark(id)) != third);
  CHECK_FALSE(tries.progress_mark(99).has_value());
}

}  // namespace tbci::try_store_test
