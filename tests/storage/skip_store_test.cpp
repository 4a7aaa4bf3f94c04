#include "storage/skip_store.hpp"

#include "storage/night_store.hpp"
#include "tests/storage/stores.hpp"

namespace tbci::skip_store_test {

using namespace tbci::test;
using model::SkipCause;
using model::SkippedNightly;
using storage::NightStore;
using storage::SkipStore;
using Names = std::vector<std::string>;

namespace {

Names names_of(const std::vector<SkippedNightly>& all) {
  Names names;
  for (const SkippedNightly& one : all) names.push_back(one.name);
  return names;
}

std::int64_t night(Fixture& fixture, const std::string& name, model::Stage end, const std::string& note = "") {
  NightStore nights(fixture.database());
  const auto id = must(nights.begin({"demo", name, "before"}, at(0))).id;
  if (end == model::Stage::done || end == model::Stage::failed) must(nights.finish(id, end, note, at(1)));
  return id;
}

}  // namespace

TEST_CASE("SkipStore: what was not measured survives a reopening, and is replaced by name", "[storage]") {
  Fixture fixture;
  const SkippedNightly first{
      .name = "2.14.0.dev20261118", .cause = SkipCause::incomplete, .reason = "no wheel", .seen = at(1)};
  must(SkipStore(fixture.database()).put("demo", first));
  fixture.reopen();
  SkipStore skips(fixture.database());
  auto stored = must(skips.find("demo", first.name)).value();
  CHECK(stored.cause == SkipCause::incomplete);
  CHECK(stored.reason == "no wheel");
  CHECK(stored.seen == at(1));
  CHECK(is_waited_for(stored));
  stored.given_up = at(9);
  must(skips.put("demo", stored));
  CHECK(must(skips.find("demo", first.name))->given_up == at(9));
  CHECK(must(skips.list("demo")).size() == 1);
  CHECK(must(skips.list("another")).empty());
  must(skips.remove("demo", first.name));
  CHECK_FALSE(must(skips.find("demo", first.name)));
}

TEST_CASE("SkipStore: a day without a nightly lies where its version would, also when it is put again", "[storage]") {
  Fixture fixture;
  SkipStore skips(fixture.database());
  SkippedNightly day{.name = "2026-11-18", .cause = SkipCause::missing, .seen = at(0), .version = "2.14.0.dev20261118"};
  must(skips.put("demo", day));
  must(skips.put("demo", {.name = "2.14.0.dev20261117", .cause = SkipCause::yanked, .seen = at(0)}));
  must(skips.put("demo", {.name = "2.14.0.dev20261119", .cause = SkipCause::yanked, .seen = at(0)}));
  day.version.reset();  // as it is read
  day.given_up = at(5);
  must(skips.put("demo", day));
  CHECK(names_of(must(skips.list("demo"))) == Names{"2.14.0.dev20261117", "2026-11-18", "2.14.0.dev20261119"});
}

TEST_CASE("SkipStore: between two nightlies are those without verdicts, in the order of their versions", "[storage]") {
  Fixture fixture;
  SkipStore skips(fixture.database());
  night(fixture, "0.8", model::Stage::done);
  night(fixture, "0.9", model::Stage::failed, "does not install");
  for (const char* name : {"0.8", "0.10", "0.12", "0.13"})
    must(skips.put("demo", {.name = name, .cause = SkipCause::yanked, .reason = "bad", .seen = at(0)}));
  must(skips.put("demo", {.name = "0.11", .cause = SkipCause::broken, .reason = "gone", .seen = at(0)}));
  night(fixture, "0.11", model::Stage::done);
  night(fixture, "0.12", model::Stage::install);
  const auto between = must(skips.between("demo", "0.7", "0.13"));
  CHECK(names_of(between) == Names{"0.9", "0.10", "0.11", "0.12"});
  CHECK(between.at(0).cause == SkipCause::failed);
  CHECK(why_skipped(between[0]) == "does not install");
  CHECK(why_skipped(between[1]) == "yanked: bad");
  CHECK(why_skipped(between[2]) == "cannot be installed: gone");
  CHECK(between[3].cause == SkipCause::unfinished);
  CHECK(must(skips.between("demo", "0.10", "0.11")).empty());
}

TEST_CASE("SkipStore: people hear of what is waited for, and of what was skipped lately", "[storage]") {
  Fixture fixture;
  SkipStore skips(fixture.database());
  must(skips.put("demo", {.name = "0.1", .cause = SkipCause::yanked, .seen = at(0), .given_up = at(0)}));
  must(skips.put("demo", {.name = "0.2", .cause = SkipCause::incomplete, .seen = at(0)}));
  must(skips.put("demo", {.name = "0.3", .cause = SkipCause::unchecked, .seen = at(0)}));
  must(skips.put("demo", {.name = "0.5", .cause = SkipCause::yanked, .seen = at(0), .given_up = at(0)}));
  must(skips.put("demo", {.name = "0.6", .cause = SkipCause::incomplete, .seen = at(0), .arrived = at(1)}));
  night(fixture, "0.6", model::Stage::install);
  CHECK(names_of(must(skips.current("demo", "0.4"))) == Names{"0.2", "0.5"});
  CHECK(names_of(must(skips.current("demo", ""))) == Names{"0.1", "0.2", "0.5"});
}

TEST_CASE("SkippedNightly: a few words say why it was not measured", "[storage]") {
  SkippedNightly one{.name = "x", .cause = SkipCause::incomplete, .reason = "no wheel", .seen = at(0)};
  CHECK(why_skipped(one) == "not complete yet: no wheel");
  one.given_up = at(1);
  CHECK(why_skipped(one) == "never complete: no wheel");
  one.arrived = at(2);
  CHECK(why_skipped(one) == "complete too late: no wheel");
  CHECK(model::why_skipped({.name = "x", .cause = SkipCause::yanked, .reason = "yanked: wrong"}) == "yanked: wrong");
  CHECK(model::why_skipped({.name = "2026-11-18", .cause = SkipCause::missing, .given_up = at(1)}) ==
        "no nightly of that day");
  CHECK(model::why_skipped({.name = "x", .cause = SkipCause::unchecked}) == "never checked");
}

}  // namespace tbci::skip_store_test
