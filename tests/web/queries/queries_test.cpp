#include "web/queries/queries.hpp"

#include <nlohmann/json.hpp>

#include "storage/anchor_store.hpp"
#include "storage/build_store.hpp"
#include "storage/decision_store.hpp"
#include "storage/night_store.hpp"
#include "storage/try_store.hpp"
#include "tests/temporary_directory.hpp"
#include "tests/web/filled_database.hpp"
#include "web/queries/json.hpp"

namespace tbci::queries_test {

using namespace tbci::test;
namespace view = tbci::web::queries;

namespace {

storage::Database opened(const TemporaryDirectory& folder) {
  return value(storage::Database::open(folder / "tbci.db", storage::Access::read_only));
}

}  // namespace

TEST_CASE("Night view: the finding of the confirmation stands for its series, the gravest first", "[view]") {
  const TemporaryDirectory folder;
  fill(folder / "tbci.db");
  auto database = opened(folder);
  const auto night = value(view::night_view(database, "demo", "2026-01-07"));
  REQUIRE(night);
  REQUIRE(night->rows.size() == 3);
  CHECK(night->rows[0].finding.verdict == model::Verdict::regression);
  CHECK(night->rows[0].finding.pairs == 8);
  CHECK(night->rows[0].confirmed);
  CHECK(night->rows[1].finding.verdict == model::Verdict::suspect);
  CHECK_FALSE(night->rows[1].confirmed);
  CHECK(night->rows[2].finding.verdict == model::Verdict::clear);
}

TEST_CASE("Night view: a configuration that is not there is shown with its reason", "[view]") {
  const TemporaryDirectory folder;
  fill(folder / "tbci.db");
  auto database = opened(folder);
  const auto night = value(view::night_view(database, "demo", ""));
  REQUIRE(night);
  REQUIRE(night->unmeasured.size() == 1);
  CHECK(night->unmeasured[0].measured == model::Case{"dlrm", model::Configuration::gpu_train});
  CHECK(night->unmeasured[0].outcome == model::Outcome::unsupported);
  CHECK(night->unmeasured[0].reason == "this LibTorch has no CUDA");
  CHECK(night->unmeasured[0].failed == 1);
  CHECK(night->unmeasured[0].processes == 1);
  CHECK(night->runner == "bench-1");
  CHECK(night->environment.at("cpu") == "Example CPU");
}

TEST_CASE("Night view: after a change of the machine the newer run shows it, and all processes count", "[view]") {
  const TemporaryDirectory folder;
  fill(folder / "tbci.db");
  {
    auto writer = value(storage::Database::open(folder / "tbci.db"));
    storage::RunStore runs(writer);
    const auto run = value(runs.begin({"demo", "2026-01-07/screen@abc", model::Purpose::screen, "bench-1"},
                                      {{{"cpu", "Other CPU"}}}, moment(15)));
    model::Measurement hung;
    hung.measured = {"dlrm", model::Configuration::cpu_train};
    hung.outcome = model::Outcome::timed_out;
    hung.message = "ended after 60 s";
    hung.started = moment(16);
    ok(runs.add({run.id, 1, 0}, hung));
  }
  auto database = opened(folder);
  const auto night = value(view::night_view(database, "demo", ""));
  REQUIRE(night);
  CHECK(night->environment.at("cpu") == "Other CPU");
  REQUIRE(night->unmeasured.size() == 2);
  CHECK(night->unmeasured[0].outcome == model::Outcome::timed_out);
  CHECK(night->unmeasured[0].failed == 1);
  CHECK(night->unmeasured[0].processes == 2);
}

TEST_CASE("Night view: what changed on the machine since the night before reads as a sentence", "[view]") {
  const TemporaryDirectory folder;
  fill(folder / "tbci.db");
  {
    auto alone = opened(folder);
    CHECK(value(view::night_view(alone, "demo", ""))->environment_change.empty());
    auto writer = value(storage::Database::open(folder / "tbci.db"));
    storage::RunStore runs(writer);
    const auto begin = [&](const std::string& key, const std::string& runner, int second, const std::string& cpu) {
      value(runs.begin({"demo", key, model::Purpose::screen, runner}, {{{"cpu", cpu}}}, moment(second)));
    };
    begin("2026-01-06/screen", "bench-1", -86000, "Old CPU");
    begin("2026-01-06/screen@later", "bench-2", -80000, "CPU of another machine");
    begin("2026-01-07/screen@abc", "bench-1", 15, "New CPU");
  }
  auto database = opened(folder);
  const auto night = value(view::night_view(database, "demo", ""));
  REQUIRE(night);
  CHECK(night->environment_change == "the CPU is New CPU instead of Old CPU");
  const auto json = view::json_of(*night);
  REQUIRE(json["environment_changes"].size() == 1);
  CHECK(json["environment_changes"][0]["before"] == "Old CPU");
}

TEST_CASE("Night view: an old night has its environment and its changes as a new one has", "[view]") {
  const TemporaryDirectory folder;
  fill(folder / "tbci.db");
  {
    auto writer = value(storage::Database::open(folder / "tbci.db"));
    storage::RunStore runs(writer);
    const auto begin = [&](const std::string& key, int second, const std::string& cpu) {
      value(runs.begin({"demo", key, model::Purpose::screen, "bench-1"}, {{{"cpu", cpu}}}, moment(second)));
    };
    begin("2026-01-06/screen", -86000, "Old CPU");
    begin("2026-01-07/screen@abc", 15, "New CPU");
    for (int number = 0; number < 500; ++number) begin("2026-02/screen/" + std::to_string(number), 100, "Newest CPU");
  }
  auto database = opened(folder);
  const auto night = value(view::night_view(database, "demo", "2026-01-07"));
  REQUIRE(night);
  CHECK(night->environment.at("cpu") == "New CPU");
  CHECK(night->environment_change == "the CPU is New CPU instead of Old CPU");
}

TEST_CASE("Night view: its regression has the culprit's facts, the search and the report", "[view]") {
  const TemporaryDirectory folder;
  fill(folder / "tbci.db");
  auto database = opened(folder);
  const auto night = value(view::night_view(database, "demo", ""));
  REQUIRE(night);
  REQUIRE(night->found.regressions.size() == 1);
  const auto& regression = night->found.regressions[0];
  CHECK(regression.night == "2026-01-07");
  REQUIRE(regression.suspects.size() == 1);
  CHECK(regression.suspects[0].id == culprit);
  CHECK(regression.suspects[0].author == "Ada Example");
  REQUIRE(regression.bisection);
  CHECK(regression.bisection->builds == 7);
  REQUIRE(night->found.reports.size() == 1);
  CHECK(night->found.reports[0].report.title == "dlrm is 31% slower");
  CHECK(night->found.reports[0].deliveries.size() == 2);
}

TEST_CASE("Night view: the latest night is chosen where none is named, and an unknown one is nothing", "[view]") {
  const TemporaryDirectory folder;
  fill(folder / "tbci.db");
  auto database = opened(folder);
  CHECK(value(view::night_view(database, "demo", ""))->night.name == "2026-01-07");
  CHECK(value(view::night_view(database, "demo", "2026-01-06"))->night.name == "2026-01-06");
  CHECK_FALSE(value(view::night_view(database, "demo", "2026-01-08")));
  CHECK_FALSE(value(view::night_view(database, "other", "")));
  CHECK_FALSE(value(view::report_view(database, 99)));
}

TEST_CASE("Status view: each subject with its latest night and its open regressions", "[view]") {
  const TemporaryDirectory folder;
  fill(folder / "tbci.db");
  auto database = opened(folder);
  const auto status = value(view::status_view(database, {"demo", "idle"}, std::nullopt, moment(0)));
  REQUIRE(status.subjects.size() == 2);
  CHECK(status.subjects[0].latest->name == "2026-01-07");
  CHECK(status.subjects[0].open_regressions == 1);
  CHECK_FALSE(status.subjects[1].latest);
  const auto json = view::json_of(status);
  CHECK(json["activity"].is_null());
  CHECK(json["now"] == "2026-01-07T02:00:00Z");
  CHECK(json["subjects"][0]["latest_night"]["stage"] == "done");
  CHECK(json["subjects"][1]["latest_night"].is_null());
}

TEST_CASE("Regressions view: recovered ones of recent nights are listed beside the open ones", "[view]") {
  const TemporaryDirectory folder;
  fill(folder / "tbci.db");
  {
    auto writer = value(storage::Database::open(folder / "tbci.db"));
    storage::NightStore nights(writer);
    const auto regression = value(nights.open_regressions("demo")).at(0);
    ok(storage::DecisionStore(writer).decide(
        {0, regression.id, model::Standing::recovered, "tbci", "three nights", moment(0)}));
  }
  auto database = opened(folder);
  const auto all = value(view::regressions_view(database, "demo", 10));
  REQUIRE(all.regressions.size() == 1);
  CHECK(all.regressions[0].regression.standing == model::Standing::recovered);
  CHECK(view::json_of(all)["regressions"][0]["standing"] == "recovered");
  const auto page = value(view::page_view(database, {{"demo"}, "demo", "2026-01-06"}, std::nullopt, moment(0)));
  CHECK(page.earlier.regressions.empty());
}

TEST_CASE("Night view: its improvements come with their commits, and stand beside no regression", "[view]") {
  const TemporaryDirectory folder;
  fill(folder / "tbci.db");
  fill_recovery(folder / "tbci.db");
  auto database = opened(folder);
  const auto night = value(view::night_view(database, "demo", ""));
  REQUIRE(night);
  CHECK(night->found.regressions.empty());
  REQUIRE(night->improvements.size() == 1);
  CHECK(night->improvements[0].suspects.at(0).author == "Bob Example");
  const auto json = view::json_of(*night);
  CHECK(json["improvements"][0]["state"] == "attributed");
  CHECK(json["improvements"][0]["suspects"][0]["id"] == repair);
  CHECK(json["improvements"][0]["finding"]["verdict"] == "improvement");
  const auto status = value(view::status_view(database, {"demo"}, std::nullopt, moment(0)));
  CHECK(status.subjects[0].waiting_improvements == 0);
}

TEST_CASE("Regressions view: one that recovered says which night and which commit ended it", "[view]") {
  const TemporaryDirectory folder;
  fill(folder / "tbci.db");
  fill_recovery(folder / "tbci.db");
  auto database = opened(folder);
  const auto all = value(view::regressions_view(database, "demo", 10));
  REQUIRE(all.regressions.size() == 1);
  REQUIRE(all.regressions[0].ended);
  CHECK(view::ending_text(*all.regressions[0].ended) ==
        "gone since 2026-01-08, by commit dddddddddddd, which says that it reverts the culprit");
  const auto ended = view::json_of(all)["regressions"][0]["ended"];
  CHECK(ended["night"] == "2026-01-08");
  CHECK(ended["commits"][0]["id"] == repair);
  CHECK(ended["revert"]["id"] == repair);
  CHECK(ended["improvement_id"] == 1);
  auto writer = value(storage::Database::open(folder / "tbci.db"));
  ok(storage::DecisionStore(writer).decide(
      {0, all.regressions[0].regression.id, model::Standing::open, "ada", "not yet", moment(0)}));
  CHECK_FALSE(value(view::regressions_view(database, "demo", 10)).regressions.at(0).ended);
}

TEST_CASE("View as JSON: numbers are the database's, an infinite change is null, broken text stays valid", "[view]") {
  const TemporaryDirectory folder;
  Outside outside;
  outside.reason = "broken \xFF text";
  fill(folder / "tbci.db", outside);
  auto database = opened(folder);
  const auto night = value(view::night_view(database, "demo", ""));
  const auto json = nlohmann::json::parse(view::dumped(view::json_of(*night)));
  const auto& slow = json["findings"][0];
  CHECK(slow["series"] == "dlrm/cpu-train/time");
  CHECK(slow["before"] == 10e6);
  CHECK(slow["after"] == 13.1e6);
  CHECK(slow["change"] == .31);
  CHECK(slow["verdict"] == "regression");
  CHECK(slow["reason"] == "broken \xEF\xBF\xBD text");
  CHECK(json["findings"][1]["change"].is_null());
  CHECK(json["regressions"][0]["suspects"][0]["id"] == culprit);
  CHECK(json["reports"][0]["deliveries"][0]["reference"] == "outbox/1.md");
  CHECK(json["not_measured"][0]["outcome"] == "unsupported");
}

TEST_CASE("Status view: nights in trouble have their tries and their reason", "[view]") {
  const TemporaryDirectory folder;
  fill(folder / "tbci.db");
  {
    auto writer = value(storage::Database::open(folder / "tbci.db"));
    const auto night = value(storage::NightStore(writer).begin({"demo", "2026-01-08", "2026-01-07"}, moment(0)));
    ok(storage::TryStore(writer).put({.night_id = night.id,
                                      .stage = model::Stage::measure,
                                      .tries = 3,
                                      .next = moment(600),
                                      .reason = "no space left",
                                      .mark = {},
                                      .given_up = {}}));
  }
  auto database = opened(folder);
  const auto status = value(view::status_view(database, {"demo"}, std::nullopt, moment(0)));
  REQUIRE(status.subjects.at(0).troubled.size() == 1);
  CHECK(view::trouble_text(status.subjects[0].troubled[0]) ==
        "2026-01-08 failed 3 times (at measure); tbci tries it again at 2026-01-07T02:10:00Z: no space left");
  const auto json = view::json_of(status);
  CHECK(json["subjects"][0]["troubled_nights"][0]["tries"] == 3);
  CHECK(json["subjects"][0]["troubled_nights"][0]["given_up"].is_null());
  auto given_up = status.subjects[0].troubled[0];
  given_up.tries.given_up = moment(1);
  CHECK(view::trouble_text(given_up) == "tbci gave up 2026-01-08 after it failed 3 times: no space left");
}

TEST_CASE("Status view: an anchor that three nights measured nothing beside is named with the last that did",
          "[view]") {
  const TemporaryDirectory folder;
  std::vector<model::Night> nights;
  {
    auto writer = value(storage::Database::open(folder / "tbci.db"));
    const auto build = value(storage::BuildStore(writer).begin("demo", model::BuildKind::nightly, "2026-01-02", {}));
    storage::AnchorStore anchors(writer);
    const auto anchor = value(anchors.set({0, "demo", build.id, "ada", "the release", moment(0)}));
    storage::NightStore store(writer);
    for (int day = 0; day < 4; ++day) {
      nights.push_back(
          value(store.begin({"demo", fmt::format("2026-01-{:02}", 7 + day), "2026-01-06"}, moment(60 * day))));
      ok(store.finish(nights.back().id, model::Stage::done, "", moment(60 * day + 30)));
    }
    model::AnchorLook look;
    look.anchor_id = anchor.id;
    look.night_id = nights[0].id;
    look.series = {"dlrm", model::Configuration::cpu_train, model::Metric::time};
    look.pairs = {{1, 1}};
    ok(anchors.keep(look));
  }
  const auto silent = [&] {
    auto database = opened(folder);
    return value(view::status_view(database, {"demo"}, std::nullopt, moment(0))).subjects.at(0).silent_anchor;
  };
  REQUIRE(silent());
  CHECK(silent()->build == "2026-01-02");
  CHECK(silent()->last_night == "2026-01-07");
  CHECK(view::silence_text(*silent()).starts_with("tbci has not looked for creep since 2026-01-07: "));
  {
    auto writer = value(storage::Database::open(folder / "tbci.db"));
    storage::AnchorStore anchors(writer);
    model::AnchorLook look;
    look.anchor_id = value(anchors.current("demo"))->id;
    look.night_id = nights[2].id;
    look.series = {"dlrm", model::Configuration::cpu_train, model::Metric::time};
    look.pairs = {{1, 1}};
    ok(anchors.keep(look));
  }
  CHECK_FALSE(silent());
}

TEST_CASE("Status view: a regression that no night can look at any more is named, with what ends it", "[view]") {
  const TemporaryDirectory folder;
  std::int64_t id = 0;
  {
    auto writer = value(storage::Database::open(folder / "tbci.db"));
    storage::NightStore store(writer);
    for (int day = 0; day <= model::nights_unwatched; ++day) {
      const auto night =
          value(store.begin({"demo", fmt::format("2026-01-{:02}", 7 + day), "2026-01-06"}, moment(60 * day)));
      const model::Series dlrm{"dlrm", model::Configuration::cpu_train, model::Metric::time};
      ok(store.put_finding(night.id, storage::Phase::screen, {dlrm, model::Verdict::clear, 1, 1, 0, 0, 0, 3, "same"}));
      if (day == 0)
        id = value(store.add_regression(night.id, {dlrm, model::Verdict::regression, 1, 2, 1, 1, 1, 8, ""})).id;
      ok(store.finish(night.id, model::Stage::done, "", moment(60 * day + 30)));
    }
  }
  auto database = opened(folder);
  const auto status = value(view::status_view(database, {"demo"}, std::nullopt, moment(0)));
  REQUIRE(status.subjects.at(0).unwatched.size() == 1);
  const std::string text = view::unwatched_text(status.subjects[0].unwatched[0]);
  CHECK(text.starts_with("no night since 2026-01-07 could tell whether regression 1 (dlrm/cpu-train/time) is gone"));
  CHECK(text.ends_with("close it with `tbci regressions accept 1` or `dismiss 1`"));
  const auto json = view::json_of(status)["subjects"][0]["unwatched_regressions"];
  REQUIRE(json.size() == 1);
  CHECK(json[0] == nlohmann::json{{"id", id}, {"series", "dlrm/cpu-train/time"}, {"last_night", "2026-01-07"}});
}

TEST_CASE("Status view: an anchor that the configuration leaves alone is not silent, and is named as such", "[view]") {
  const TemporaryDirectory folder;
  {
    auto writer = value(storage::Database::open(folder / "tbci.db"));
    const auto build = value(storage::BuildStore(writer).begin("demo", model::BuildKind::nightly, "2026-01-02", {}));
    ok(storage::AnchorStore(writer).set({0, "demo", build.id, "ada", "the release", moment(0)}).map([](const auto&) {
    }));
    storage::NightStore store(writer);
    for (int day = 0; day < 3; ++day) {
      const auto night =
          value(store.begin({"demo", fmt::format("2026-01-{:02}", 7 + day), "2026-01-06"}, moment(60 * day + 60)));
      ok(store.finish(night.id, model::Stage::done, "", moment(60 * day + 90)));
    }
  }
  auto database = opened(folder);
  const auto status = value(view::status_view(database, {"demo"}, std::nullopt, moment(0), view::Creep::switched_off));
  CHECK_FALSE(status.subjects.at(0).silent_anchor);
  CHECK(status.subjects.at(0).unused_anchor == "2026-01-02");
  CHECK(view::json_of(status)["subjects"][0]["unused_anchor"] == "2026-01-02");
  const auto looked_for = value(view::status_view(database, {"demo"}, std::nullopt, moment(0)));
  CHECK(looked_for.subjects.at(0).silent_anchor);
  CHECK_FALSE(looked_for.subjects.at(0).unused_anchor);
}

}  // namespace tbci::queries_test
