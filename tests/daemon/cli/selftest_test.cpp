// `tbci selftest detection`: what it plans, reads and answers. What it measures is tested in tests/detect.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "daemon/cli/replay_source.hpp"
#include "daemon/cli/selftest_plan.hpp"
#include "daemon/cli/selftest_report.hpp"
#include "storage/build_store.hpp"
#include "storage/database.hpp"
#include "tests/catch.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::selftest_test {

using namespace tbci::test;

using daemon::plan_selftest;
using daemon::SelftestOptions;
using daemon::SelftestRow;

namespace {

const model::Case dlrm{"dlrm", model::Configuration::cpu_infer};

/// A database with runs of processes that took the given nanoseconds.
class Recording {
 public:
  Recording()
      : database_(*storage::Database::open(folder_.path() / "tbci.sqlite")), runs(database_), builds_(database_) {}

  std::int64_t build(const std::string& name) { return builds_.begin("demo", model::BuildKind::nightly, name, {})->id; }
  void add_run(const std::string& key, model::Purpose purpose, std::int64_t build_id,
               const std::vector<std::int64_t>& nanoseconds, const std::string& kernel = "6.1") {
    const auto run = runs.begin({"demo", key, purpose, "bench-1"}, {{{"kernel", kernel}}}, {});
    REQUIRE(run);
    int ordinal = 0;
    for (const std::int64_t one : nanoseconds) {
      model::Measurement measurement;
      measurement.measured = dlrm;
      if (one > 0) measurement.nanoseconds = {one};
      if (one <= 0) measurement.outcome = model::Outcome::crashed;
      REQUIRE(runs.add({run->id, build_id, ordinal++}, measurement));
    }
  }

 private:
  TemporaryDirectory folder_;
  storage::Database database_;

 public:
  storage::RunStore runs;

 private:
  storage::BuildStore builds_;
};

std::vector<std::int64_t> counted(std::int64_t from, int count) {
  std::vector<std::int64_t> values;
  for (int i = 0; i < count; ++i) values.push_back(from + i);
  return values;
}

SelftestRow row(const std::string& rule, const detect::selftest::Scenario& scenario) {
  SelftestRow one{.noise = "quiet", .rule = rule, .scenario = scenario, .tally = {}};
  one.tally.series = 200;
  one.tally.nights = 4000;
  one.tally.found_on = {150, 20, 10};
  one.tally.cost = {.processes = 22000, .confirmations = 60, .confirming_pairs = 600, .anchor_pairs = 4000};
  return one;
}

}  // namespace

TEST_CASE("Selftest: times of screens and manual runs are read in order, and no others", "[selftest]") {
  Recording recording;
  const auto monday = recording.build("2026-01-05");
  recording.add_run("2026-01-05/screen", model::Purpose::screen, monday, counted(1000, 12));
  recording.add_run("by-hand", model::Purpose::manual, monday, counted(2000, 10));
  recording.add_run("2026-01-06/confirm", model::Purpose::confirm, monday, counted(3000, 30));
  const auto recorded = daemon::recorded_times(recording.runs, {"demo", "unknown"});
  REQUIRE(recorded);
  CHECK(recorded->runs == 2);
  REQUIRE(recorded->series.size() == 1);
  auto runs = recorded->series.front().runs;
  std::sort(runs.begin(), runs.end());
  REQUIRE(runs.size() == 2);
  CHECK(runs[0].size() == 12);
  CHECK(runs[0].front() == 1000);
  CHECK(runs[0].back() == 1011);
  CHECK(runs[1].front() == 2000);
}

TEST_CASE("Selftest: builds and environments are never mixed, failed processes are left out", "[selftest]") {
  Recording recording;
  const auto monday = recording.build("2026-01-05"), tuesday = recording.build("2026-01-06");
  recording.add_run("a", model::Purpose::manual, monday, counted(1000, 10));
  recording.add_run("b", model::Purpose::manual, tuesday, counted(2000, 10));
  recording.add_run("c", model::Purpose::manual, monday, counted(3000, 10), "6.2");
  auto broken = counted(4000, 10);
  broken[3] = 0;
  recording.add_run("d", model::Purpose::manual, tuesday, broken, "6.3");
  const auto recorded = daemon::recorded_times(recording.runs, {"demo"});
  REQUIRE(recorded);
  CHECK(recorded->series.size() == 3);
  CHECK(recorded->too_short == 1);  // nine of ten processes
  for (const auto& series : recorded->series) CHECK(series.runs.size() == 1);
}

TEST_CASE("Selftest: each method is measured in each noise, those of others with fewer series", "[selftest]") {
  SelftestOptions options;
  options.rules = {"ours", "torchbench"};
  const auto plan = plan_selftest(options, {}, {});
  REQUIRE(plan);
  std::int64_t unchanged = 0, steps = 0;
  for (const auto& one : *plan) {
    CHECK((one.noise == "quiet" || one.noise == "noisy"));
    const auto& scenario = one.campaign.scenario;
    if (one.campaign.method.name != "ours") CHECK(one.campaign.series <= 2000);
    if (one.campaign.method.name == "ours" && !scenario.real() && scenario.bad_night == 0) {
      CHECK(one.campaign.series * (scenario.nights + one.campaign.method.warmup) >= 2'000'000);
      ++unchanged;
    }
    if (one.campaign.method.name == "ours" && scenario.step == 0.10) CHECK(one.campaign.series == 20'000);
    steps += scenario.step > 0 ? 1 : 0;
  }
  CHECK(unchanged == 2);
  CHECK(steps == 2 * 2 * 4);
  options.rules = {"rustc-pref"};
  CHECK(plan_selftest(options, {}, {}).error().message.find("did you mean 'rustc-perf'") != std::string::npos);
  CHECK(plan_selftest(options, {}, {}).error().kind == ErrorKind::usage);
}

TEST_CASE("Selftest: what was recorded takes the place of the noise models", "[selftest]") {
  const std::vector<detect::selftest::Recorded> recorded = {{"a", {{100}}}, {"b", {{200}}}};
  const auto plan = plan_selftest({}, {}, recorded);
  REQUIRE(plan);
  std::set<double> seen;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CHECK(plan->front().noise == "recorded");
    const auto source = plan->front().campaign.source(seed);
    source->begin_night(0);
    seen.insert(source->process(0));
  }
  CHECK(seen == std::set<double>{100, 200});
}

TEST_CASE("Selftest: the tables have a row for each campaign, with shares and intervals", "[selftest]") {
  const std::vector<SelftestRow> rows = {row("ours", {.name = "unchanged"}), row("ours", {.name = "+8%", .step = 0.08}),
                                         row("ours", {.name = "creep", .creep = 0.005}),
                                         row("ours", {.name = "bad night", .bad_night = 0.15})};
  const std::string text = daemon::selftest_text(rows);
  CHECK(text.find("Unchanged series:") != std::string::npos);
  CHECK(text.find("75.00%") != std::string::npos);          // the same night
  CHECK(text.find("90.00%") != std::string::npos);          // within three
  CHECK(text.find("later or never") != std::string::npos);  // 99% were not found
  CHECK(text.find("5.50") != std::string::npos);            // processes a night
  CHECK(text.find("15.0") != std::string::npos);            // confirmations in 1,000 nights
  CHECK(daemon::selftest_text({rows[1]}).find("Unchanged") == std::string::npos);
}

TEST_CASE("Selftest: JSON has the counts that the shares are made of", "[selftest]") {
  auto unchanged = row("ours", {.name = "unchanged"});
  unchanged.tally.alarms = 2;
  const auto json = daemon::selftest_json({unchanged, row("ours", {.name = "+8%", .step = 0.08})});
  REQUIRE(json.size() == 2);
  CHECK(json[0]["alarms"] == 2);
  CHECK(json[0]["alarms_per_1000_nights"]["value"] == Approx(0.5));
  CHECK_FALSE(json[0].contains("found_within"));
  CHECK(json[1]["found_within"]["3"]["share"] == Approx(0.9));
  CHECK(json[1]["found_on"].size() == 3);
  CHECK_FALSE(json[1].contains("alarms_per_1000_nights"));
}

TEST_CASE("Selftest: false alarms of our own judgement are counted, found steps and other rules are not",
          "[selftest]") {
  auto alarm = row("ours-beside", {.name = "bad night", .bad_night = 0.15});
  auto others = row("torchbench", {.name = "unchanged"});
  auto step = row("ours", {.name = "+8%", .step = 0.08});
  alarm.tally.alarms = others.tally.alarms = step.tally.alarms = 3;
  CHECK(daemon::our_false_alarms({others, step}) == 0);
  CHECK(daemon::our_false_alarms({others, step, alarm}) == 3);
}

}  // namespace tbci::selftest_test
