#include "daemon/cli/nightly_list.hpp"

#include <nlohmann/json.hpp>

#include "pipeline/night/skipped_nightlies.hpp"
#include "tests/catch.hpp"
#include "tests/pipeline/fake_subject.hpp"

namespace tbci::nightly_list_test {

using namespace tbci::test;
using daemon::ListedNightly;
using model::Availability;
using model::SkipCause;

namespace {

const TimePoint seen{std::chrono::milliseconds(1767700000000)};  // 2026-01-06T11:46:40Z

std::vector<ListedNightly> three() {
  std::vector<ListedNightly> listed;
  listed.push_back({.nightly = {.name = "2.14.0.dev20261117", .commit = "0123456789abcdef", .bytes = 3 << 20}});
  listed.push_back({.nightly = {.name = "2026-11-18"},
                    .published = false,
                    .skipped = model::SkippedNightly{
                        .name = "2026-11-18", .cause = SkipCause::missing, .seen = seen, .given_up = seen}});
  listed.push_back({.nightly = {.name = "2.14.0.dev20261119",
                                .availability = Availability::incomplete,
                                .remark = "it has no wheel for this Python"},
                    .skipped = model::SkippedNightly{.name = "2.14.0.dev20261119",
                                                     .cause = SkipCause::incomplete,
                                                     .reason = "it has no wheel for this Python",
                                                     .seen = seen}});
  return listed;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("Nightly list: what is waited for and what is skipped stands in the remark", "[cli]") {
  const std::string text = daemon::text_of(three());
  CHECK(contains(text, "0123456789ab"));
  CHECK(contains(text, "skipped: no nightly of that day"));
  CHECK(contains(text, "waited for since 2026-01-06T11:46:40Z: not complete yet: it has no wheel for this Python"));
}

TEST_CASE("Nightly list: reads what nights have noted, and notes nothing itself", "[cli]") {
  TemporaryDirectory folder;
  FakeMachine machine(9);
  machine.days = {0, 4, 8};
  machine.naming = [](std::size_t day) { return fmt::format("2.14.0.dev202611{:02}", day * 2 + 5); };
  machine.availability = {{"2.14.0.dev20261109", Availability::incomplete}};
  machine.remarks = {{"2.14.0.dev20261109", "it has no wheel for this Python"}};
  Bench bench(folder.path(), machine);
  bench.config().subjects.front().nightly.kind = runner::NightlyKind::pip;
  const auto listed = daemon::list_nightlies(bench.context());
  REQUIRE(listed);
  REQUIRE(listed->size() == 3);
  CHECK(contains(daemon::text_of(*listed), "it has no wheel for this Python"));
  CHECK(bench.stores().skips.list("fake").value().empty());
  REQUIRE(pipeline::note_listing(bench.context(), machine.nightlies({}).value()));
  const auto noted = bench.stores().skips.list("fake").value();
  CHECK_FALSE(noted.empty());
  CHECK(contains(daemon::text_of(daemon::list_nightlies(bench.context()).value()), "waited for since"));
  bench.clock().advance(std::chrono::hours(100));
  REQUIRE(daemon::list_nightlies(bench.context()));
  const auto now = bench.stores().skips.list("fake").value();
  REQUIRE(now.size() == noted.size());
  for (std::size_t i = 0; i < now.size(); ++i) CHECK(now[i].given_up == noted[i].given_up);
}

TEST_CASE("Nightly list: what its own night says goes before why there was none", "[cli]") {
  auto listed = three();
  listed[2].night.emplace();
  CHECK_FALSE(contains(daemon::text_of(listed), "waited for"));
}

TEST_CASE("Nightly list: who pinned a nightly and what was removed from the disk is shown", "[cli]") {
  auto listed = three();
  listed[0].pin = model::Pin{"demo", listed[0].nightly.name, "ada", "the release", seen};
  listed[0].build.emplace().state = model::BuildState::ready;
  CHECK(contains(daemon::text_of(listed), "ready"));
  listed[0].on_disk = false;
  const std::string text = daemon::text_of(listed);
  CHECK(contains(text, "pinned by ada on 2026-01-06: the release"));
  CHECK(contains(text, "removed"));
  const auto json = daemon::json_of(listed);
  CHECK(json[0]["pinned"]["person"] == "ada");
  CHECK(json[0]["installed"] == "removed");
  CHECK(json[1]["pinned"].is_null());
}

TEST_CASE("Nightly list: the JSON has the cause and its times, and tells a day from a nightly", "[cli]") {
  const auto json = daemon::json_of(three());
  REQUIRE(json.size() == 3);
  CHECK(json[0]["skipped"].is_null());
  CHECK(json[0]["bytes"] == 3 << 20);
  CHECK(json[1]["availability"] == "missing");
  CHECK(json[1]["skipped"]["given_up"] == "2026-01-06T11:46:40Z");
  CHECK(json[2]["availability"] == "incomplete");
  CHECK(json[2]["skipped"]["cause"] == "incomplete");
}

}  // namespace tbci::nightly_list_test
