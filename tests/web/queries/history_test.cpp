#include "web/queries/history.hpp"

#include <nlohmann/json.hpp>

#include "tests/temporary_directory.hpp"
#include "tests/web/filled_history.hpp"
#include "web/queries/json.hpp"

namespace tbci::history_test {

using namespace tbci::test;
namespace view = tbci::web::queries;

namespace {

const model::Series dlrm_time = {"dlrm", model::Configuration::cpu_train, model::Metric::time};

view::HistoryView read(const TemporaryDirectory& folder, const view::HistoryChoice& choice) {
  auto database = value(storage::Database::open(folder / "tbci.db", storage::Access::read_only));
  return value(view::history_view(database, choice));
}

}  // namespace

TEST_CASE("History: a nightly's value is the one of its own night, not that of the night it was baseline of",
          "[history]") {
  const TemporaryDirectory folder;
  fill_history(folder / "tbci.db");
  const auto history = read(folder, {"demo", dlrm_time, "", 365});
  REQUIRE(history.nights.size() == 60);
  CHECK(history.runner == "bench-1");
  CHECK(history.other_runners.empty());
  for (std::size_t i = 0; i < history.nights.size(); ++i) {
    const auto& night = history.nights[i];
    INFO(night.name);
    CHECK(night.name == history_night(static_cast<int>(i)));
    CHECK(night.value == Approx(i < 40 ? 10e6 : 11e6).epsilon(0.03));
    CHECK(night.processes == 5);
    CHECK(night.lowest <= night.value);
    CHECK(night.highest >= night.value);
  }
}

TEST_CASE("History: the step is a change point between two levels, and its night has the regression", "[history]") {
  const TemporaryDirectory folder;
  fill_history(folder / "tbci.db");
  const auto history = read(folder, {"demo", dlrm_time, "", 365});
  REQUIRE(history.change_points.size() == 1);
  CHECK(history.change_points[0].night == 40);
  REQUIRE(history.levels.size() == 2);
  CHECK(history.levels[0].first == 0);
  CHECK(history.levels[0].last == 39);
  CHECK(history.levels[1].first == 40);
  CHECK(history.levels[1].last == 59);
  CHECK(history.levels[1].value == Approx(11e6).epsilon(0.01));
  REQUIRE(history.nights[40].regression);
  CHECK(history.nights[40].regression->suspects == std::vector{culprit});
  CHECK(history.nights[40].finding->verdict == model::Verdict::regression);  // of the confirmation
  CHECK(history.nights[40].finding->pairs == 8);
  CHECK_FALSE(history.nights[41].regression);
  CHECK_FALSE(history.nights[0].finding);
}

TEST_CASE("History: a change of the machine stands at the first night after it", "[history]") {
  const TemporaryDirectory folder;
  fill_history(folder / "tbci.db");
  const auto history = read(folder, {"demo", dlrm_time, "", 365});
  for (std::size_t i = 0; i < history.nights.size(); ++i) {
    CHECK(history.nights[i].environment_change == (i == 20 ? "the governor is powersave instead of performance" : ""));
  }
}

TEST_CASE("History: a night on which the old build moved too is a change of the machine, with its reason",
          "[history]") {
  const TemporaryDirectory folder;
  fill_history(folder / "tbci.db");
  {
    auto writer = value(storage::Database::open(folder / "tbci.db"));
    storage::NightStore nights(writer);
    const auto night = value(nights.find("demo", "night-030"));
    model::Finding moved;
    moved.series = dlrm_time;
    moved.verdict = model::Verdict::environment_changed;
    moved.reason = "the old build moved as well";
    ok(nights.put_finding(night->id, storage::Phase::confirm, moved));
  }
  CHECK(read(folder, {"demo", dlrm_time, "", 365}).nights[30].environment_change == "the old build moved as well");
}

TEST_CASE("History: fewer nights are the newest, with the change points of all", "[history]") {
  const TemporaryDirectory folder;
  fill_history(folder / "tbci.db");
  const auto some = read(folder, {"demo", dlrm_time, "", 22});  // two nights before the step: too few to see it alone
  CHECK(some.nights.size() == 22);
  CHECK(some.earlier == 38);
  CHECK(some.nights.front().name == "night-038");
  REQUIRE(some.change_points.size() == 1);
  CHECK(some.change_points[0].night == 2);
  REQUIRE(some.levels.size() == 2);
  CHECK(some.levels[0].first == 0);
  CHECK(some.levels[0].last == 1);
  CHECK(some.levels[0].value == Approx(10e6).epsilon(0.01));
  CHECK(some.levels[1].first == 2);
  CHECK(some.levels[1].last == 21);
  const auto after = read(folder, {"demo", dlrm_time, "", 20});  // the step is the first night that is shown
  CHECK(after.change_points.empty());
  REQUIRE(after.levels.size() == 1);
  CHECK(after.levels[0].last == 19);
}

TEST_CASE("History: of several runners one is shown, the last or the one that is asked for", "[history]") {
  const TemporaryDirectory folder;
  fill_history(folder / "tbci.db");
  {
    auto writer = value(storage::Database::open(folder / "tbci.db"));
    storage::RunStore runs(writer);
    const auto build = value(storage::BuildStore(writer).find("demo", model::BuildKind::nightly, "night-010"));
    const auto begin = [&](const std::string& key, model::Purpose purpose, const std::string& runner, int second) {
      const auto run = value(runs.begin({"demo", key, purpose, runner}, {{{"cpu", "Other"}}}, moment(second)));
      model::Measurement done;
      done.measured = dlrm_time.measured_case();
      done.nanoseconds = {7'000'000};
      done.started = moment(second);
      ok(runs.add({run.id, build->id, 0}, done));
    };
    begin("night-010/screen@other", model::Purpose::screen, "bench-2", 1'000'000);
    begin("by hand", model::Purpose::manual, "bench-3", 2'000'000);
  }
  const auto latest = read(folder, {"demo", dlrm_time, "", 365});
  CHECK(latest.runner == "bench-2");
  CHECK(latest.other_runners == std::vector<std::string>{"bench-1"});
  REQUIRE(latest.nights.size() == 1);
  CHECK(latest.nights[0].value == 7e6);
  CHECK(read(folder, {"demo", dlrm_time, "bench-1", 365}).nights.size() == 60);
  CHECK(read(folder, {"demo", dlrm_time, "nobody", 365}).nights.empty());
}

TEST_CASE("History: after a change of the machine the restarted run counts, and not the interrupted one", "[history]") {
  const TemporaryDirectory folder;
  fill_history(folder / "tbci.db");
  {
    auto writer = value(storage::Database::open(folder / "tbci.db"));
    storage::RunStore runs(writer);
    const auto build = value(storage::BuildStore(writer).find("demo", model::BuildKind::nightly, "night-059"));
    const auto run = value(runs.begin({"demo", "night-059/screen@abc", model::Purpose::screen, "bench-1"},
                                      {{{"cpu", "Other"}}}, moment(59'900)));
    model::Measurement done;
    done.measured = dlrm_time.measured_case();
    done.nanoseconds = {12'345'678};
    done.started = moment(59'900);
    ok(runs.add({run.id, build->id, 0}, done));
  }
  const auto history = read(folder, {"demo", dlrm_time, "", 365});
  CHECK(history.nights.back().value == 12'345'678);
  CHECK_FALSE(history.nights.back().environment_change.empty());
}

TEST_CASE("History: what was never measured has no nights, and what was is listed", "[history]") {
  const TemporaryDirectory folder;
  fill_history(folder / "tbci.db");
  CHECK(read(folder, {"demo", {"bert", model::Configuration::cpu_train, model::Metric::time}, "", 365}).nights.empty());
  CHECK(read(folder, {"other", dlrm_time, "", 365}).nights.empty());
  const auto leaks = read(folder, {"demo", {"dlrm", model::Configuration::cpu_train, model::Metric::cpu_leak}, "", 9});
  CHECK(leaks.levels.empty());
  auto database = value(storage::Database::open(folder / "tbci.db", storage::Access::read_only));
  CHECK(value(view::measured_cases(database, "demo")) ==
        std::vector<model::Case>{{"dlrm", model::Configuration::cpu_train}});
  CHECK(value(view::measured_cases(database, "other")).empty());
}

TEST_CASE("History as JSON: the same numbers, with the names of the nights", "[history]") {
  const TemporaryDirectory folder;
  fill_history(folder / "tbci.db");
  const auto history = read(folder, {"demo", dlrm_time, "", 365});
  const auto json = nlohmann::json::parse(view::dumped(view::json_of(history)));
  CHECK(json["series"] == "dlrm/cpu-train/time");
  REQUIRE(json["nights"].size() == 60);
  CHECK(json["nights"][3]["value"] == history.nights[3].value);
  CHECK(json["nights"][3]["regression"].is_null());
  CHECK(json["nights"][40]["regression"]["suspects"][0] == culprit);
  CHECK(json["nights"][40]["verdict"] == "regression");
  CHECK(json["change_points"][0]["name"] == "night-040");
  CHECK(json["levels"][1]["first"] == 40);
}

}  // namespace tbci::history_test
