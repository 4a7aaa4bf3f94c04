// Nightlies that were not measured, as people read of them.
#include <nlohmann/json.hpp>

#include "storage/night_store.hpp"
#include "storage/skip_store.hpp"
#include "tests/temporary_directory.hpp"
#include "tests/web/filled_database.hpp"
#include "web/queries/json.hpp"
#include "web/queries/queries.hpp"

namespace tbci::skipped_view_test {

using namespace tbci::test;
namespace view = web::queries;

namespace {

storage::Database opened(const TemporaryDirectory& folder) {
  return value(storage::Database::open(folder / "tbci.db", storage::Access::read_only));
}

}  // namespace

TEST_CASE("Status view: nightlies that are waited for or skipped are named with the reason", "[view]") {
  const TemporaryDirectory folder;
  fill(folder / "tbci.db");
  {
    auto writer = value(storage::Database::open(folder / "tbci.db"));
    storage::SkipStore skips(writer);
    ok(skips.put("demo", {.name = "2026-01-08",
                          .cause = model::SkipCause::incomplete,
                          .reason = "it has no wheel for this Python",
                          .seen = moment(0)}));
    ok(skips.put("demo", {.name = "2026-01-09",
                          .cause = model::SkipCause::yanked,
                          .reason = "yanked: <b>",
                          .seen = moment(0),
                          .given_up = moment(0)}));
  }
  auto database = opened(folder);
  const auto status = value(view::status_view(database, {"demo"}, std::nullopt, moment(0)));
  REQUIRE(status.subjects.at(0).skipped.size() == 2);
  CHECK(view::skipped_text(status.subjects[0].skipped[0]) ==
        "tbci waits for 2026-01-08 since 2026-01-07T02:00:00Z: not complete yet: it has no wheel for this Python");
  CHECK(view::skipped_text(status.subjects[0].skipped[1]) == "2026-01-09 is skipped: yanked: <b>");
  const auto json = view::json_of(status)["subjects"][0]["skipped_nightlies"];
  CHECK(json[0]["cause"] == "incomplete");
  CHECK(json[0]["given_up"].is_null());
  CHECK(json[1]["text"] == "yanked: <b>");
}

TEST_CASE("Night view: the nightlies between a night and its baseline that were not measured are named", "[view]") {
  const TemporaryDirectory folder;
  fill(folder / "tbci.db");
  {
    auto writer = value(storage::Database::open(folder / "tbci.db"));
    const auto night = value(storage::NightStore(writer).begin({"demo", "2026-01-12", "2026-01-07"}, moment(0)));
    ok(storage::NightStore(writer).finish(night.id, model::Stage::done, "", moment(1)));
    storage::SkipStore skips(writer);
    for (int day = 8; day <= 11; ++day)
      ok(skips.put("demo", {.name = fmt::format("2026-01-{:02}", day), .cause = model::SkipCause::unchecked}));
  }
  auto database = opened(folder);
  const auto night = value(view::night_view(database, "demo", "")).value();
  CHECK(view::gap_text(night.skipped) ==
        "the nightlies between the two were not measured: 2026-01-08 (never checked), 2026-01-09 (never checked), "
        "2026-01-10 (never checked), 2026-01-11 (never checked)");
  CHECK(view::json_of(night)["skipped_nightlies"].size() == 4);
  CHECK(view::gap_text({}).empty());
  CHECK(view::gap_text(std::vector<model::SkippedNightly>(12, night.skipped[0])).ends_with(", and 2 more"));
}

}  // namespace tbci::skipped_view_test
