#include "storage/run_store.hpp"

#include <random>

#include "storage/build_store.hpp"
#include "tests/storage/stores.hpp"

namespace tbci::run_store_test {

using namespace tbci::test;
using model::Configuration;
using model::Metric;
using model::Outcome;
using model::Purpose;
using storage::BuildStore;
using storage::RunStore;

namespace {

const model::Case dlrm_train = {"dlrm", Configuration::cpu_train};
const model::Environment machine = {{{"cpu", "a \"quick\" one"}, {"governor", "performance"}}};

model::Measurement measurement(std::vector<std::int64_t> nanoseconds, model::Case measured = dlrm_train) {
  model::Measurement result;
  result.measured = std::move(measured);
  result.nanoseconds = std::move(nanoseconds);
  result.cpu_peak_bytes = 123'456'789;
  result.cpu_growth_bytes = -12.5;
  result.evidence = {{.name = "hits", .of = "table \"3\"", .unit = model::EvidenceUnit::bytes, .value = 0.1}};
  result.torch_version = "2.13.0+cpu";
  result.torch_git = std::string(40, 'c');
  result.started = at(77);
  result.wall = std::chrono::nanoseconds(1'234'567'890);
  return result;
}

void check_same(const model::Measurement& left, const model::Measurement& right) {
  CHECK(left.measured == right.measured);
  CHECK(left.outcome == right.outcome);
  CHECK(left.message == right.message);
  CHECK(left.nanoseconds == right.nanoseconds);
  CHECK(left.instructions == right.instructions);
  CHECK(left.cpu_peak_bytes == right.cpu_peak_bytes);
  CHECK(left.gpu_peak_bytes == right.gpu_peak_bytes);
  CHECK(left.cpu_growth_bytes == right.cpu_growth_bytes);
  CHECK(left.gpu_growth_bytes == right.gpu_growth_bytes);
  CHECK(left.gpu_reserved_peak_bytes == right.gpu_reserved_peak_bytes);
  CHECK(left.rss_growth_bytes == right.rss_growth_bytes);
  CHECK(left.cpu_growth_interval == right.cpu_growth_interval);
  CHECK(left.rss_growth_interval == right.rss_growth_interval);
  CHECK(left.gpu_growth_interval == right.gpu_growth_interval);
  CHECK(left.growth == right.growth);
  CHECK(left.details == right.details);
  CHECK(left.finite == right.finite);
  CHECK(left.evidence == right.evidence);
  CHECK(left.alternating == right.alternating);
  CHECK(left.torch_version == right.torch_version);
  CHECK(left.torch_git == right.torch_git);
  CHECK(left.started == right.started);
  CHECK(left.wall == right.wall);
  CHECK(left.gpu_split == right.gpu_split);
  CHECK(left.gpu_load == right.gpu_load);
}

struct Setting : Fixture {
  std::int64_t build(const std::string& name) {
    return must(BuildStore(database()).begin("demo", model::BuildKind::nightly, name, at(0))).id;
  }
  std::int64_t run(const std::string& key, Purpose purpose = Purpose::screen, std::int64_t when = 0) {
    return must(RunStore(database())
                    .begin({.subject = "demo", .key = key, .purpose = purpose, .runner = "this"}, machine, at(when)))
        .id;
  }
};

}  // namespace

TEST_CASE("RunStore: environments are kept by fingerprint", "[storage]") {
  Fixture fixture;
  RunStore runs(fixture.database());
  const std::string fingerprint = must(runs.remember(machine, at(0)));
  CHECK(fingerprint == machine.fingerprint());
  CHECK(must(runs.remember(machine, at(5))) == fingerprint);
  CHECK(must(runs.environment(fingerprint))->facts == machine.facts);
  CHECK_FALSE(must(runs.environment("unknown")).has_value());
  const model::Environment odd = {{{"cpu", "not \xff UTF-8"}}};
  CHECK(must(runs.environment(must(runs.remember(odd, at(1)))))->facts.at("cpu") == "not \xef\xbf\xbd UTF-8");
}

TEST_CASE("RunStore: a run is begun once, found again after a kill, and finished", "[storage]") {
  Setting setting;
  const auto begun =
      must(RunStore(setting.database())
               .begin({.subject = "demo", .key = "2026-01-07/screen", .purpose = Purpose::screen, .runner = "host"},
                      machine, at(1)));
  setting.reopen();
  RunStore runs(setting.database());
  const auto again = must(runs.begin(
      {.subject = "demo", .key = "2026-01-07/screen", .purpose = Purpose::manual, .runner = "other"}, {}, at(9)));
  CHECK(again.id == begun.id);
  CHECK(again.purpose == Purpose::screen);
  CHECK(again.runner == "host");
  CHECK(again.environment == machine.fingerprint());
  CHECK(again.started == at(1));
  CHECK_FALSE(again.finished.has_value());
  must(runs.finish(begun.id, at(3)));
  CHECK(must(runs.find("demo", "2026-01-07/screen"))->finished == at(3));
  CHECK_FALSE(must(runs.find("demo", "other")).has_value());
  setting.run("2026-01-08/screen", Purpose::screen, 50);
  const auto latest = must(runs.runs("demo", 10));
  REQUIRE(latest.size() == 2);
  CHECK(latest[0].key == "2026-01-08/screen");
  CHECK_FALSE(runs.finish(99, at(0)).has_value());
  CHECK_FALSE(runs.get(99).has_value());
}

TEST_CASE("RunStore: a measurement comes back whole", "[storage]") {
  Setting setting;
  const auto build = setting.build("a");
  const auto run = setting.run("screen");
  auto full = measurement({30, 10, 20, 1'000'000'000'000});
  full.instructions = {5, 6};
  full.gpu_peak_bytes = 1;
  full.gpu_growth_bytes = 0.25;
  full.gpu_load = {.sm_mhz_low = 1410, .sm_mhz_high = 1980, .celsius = 63, .held_down_by = 4};
  full.gpu_split = {std::chrono::nanoseconds(568), std::chrono::nanoseconds(21), std::chrono::nanoseconds(411)};
  full.gpu_reserved_peak_bytes = 2;
  full.cpu_growth_interval = {-13.5, -11.5};
  full.rss_growth_bytes = 4096.5;
  full.rss_growth_interval = {4000.25, 5000.75};
  full.gpu_growth_interval = {0.125, 0.375};
  full.growth = std::chrono::nanoseconds(9'876'543'210);
  full.details = "terminate called\nframe #0: at::native::add";
  full.finite = false;
  full.alternating = true;
  model::Measurement bare;
  bare.measured = {"bert", Configuration::gpu_infer};
  bare.outcome = Outcome::crashed;
  bare.message = "killed by SIGSEGV\nsecond line";
  {
    RunStore runs(setting.database());
    must(runs.add({run, build, 0}, full));
    must(runs.add({run, build, 0}, bare));
  }
  setting.reopen();
  const auto all = must(RunStore(setting.database()).measurements(run));
  REQUIRE(all.size() == 2);
  check_same(all[0].measurement, bare);
  check_same(all[1].measurement, full);
  CHECK(all[1].place.run_id == run);
  CHECK(all[1].place.build_id == build);
  CHECK(all[1].place.ordinal == 0);
}

TEST_CASE("RunStore: a second measurement in the same place is refused", "[storage]") {
  Setting setting;
  const auto build = setting.build("a");
  const auto run = setting.run("screen");
  RunStore runs(setting.database());
  must(runs.add({run, build, 0}, measurement({1, 2, 3})));
  const Error error = error_of(runs.add({run, build, 0}, measurement({4, 5, 6})));
  CHECK(contains(error.message, "process 0 of dlrm/cpu-train"));
  must(runs.add({run, build, 1}, measurement({4, 5, 6})));
  CHECK(must(runs.count(run, build, dlrm_train)) == 2);
  CHECK(must(runs.count(run, build, {"bert", Configuration::cpu_train})) == 0);
  CHECK(must(runs.measurements(run))[0].measurement.nanoseconds == std::vector<std::int64_t>{1, 2, 3});
  CHECK_FALSE(runs.add({run, 99, 0}, measurement({1})).has_value());
  CHECK_FALSE(runs.add({99, build, 0}, measurement({1})).has_value());
}

TEST_CASE("RunStore: measurements are filtered and in the order in which they ran", "[storage]") {
  Setting setting;
  const auto before = setting.build("a");
  const auto after = setting.build("b");
  const auto run = setting.run("confirm");
  const auto other_run = setting.run("other");
  RunStore runs(setting.database());
  for (const int ordinal : {10, 2, 1, 0}) {
    must(runs.add({run, after, ordinal}, measurement({100 + ordinal})));
    must(runs.add({run, before, ordinal}, measurement({ordinal})));
  }
  must(runs.add({run, before, 0}, measurement({7}, {"bert", Configuration::cpu_infer})));
  must(runs.add({other_run, before, 0}, measurement({8})));
  std::vector<std::int64_t> order;
  for (const auto& one : must(runs.measurements(run))) order.push_back(one.measurement.nanoseconds[0]);
  CHECK(order == std::vector<std::int64_t>{7, 0, 100, 1, 101, 2, 102, 10, 110});
  CHECK(must(runs.measurements(run, before)).size() == 5);
  CHECK(must(runs.measurements(run, std::nullopt, dlrm_train)).size() == 8);
  CHECK(must(runs.measurements(run, after, dlrm_train)).size() == 4);
  CHECK(must(runs.values(run, before, {"dlrm", Configuration::cpu_train, Metric::time})) ==
        std::vector<double>{0, 1, 2, 10});
}

TEST_CASE("RunStore: values are those of the vocabulary, for each metric", "[storage]") {
  Setting setting;
  const auto build = setting.build("a");
  const auto run = setting.run("screen");
  RunStore runs(setting.database());
  std::mt19937_64 random(7);
  std::vector<model::Measurement> added;
  for (int ordinal = 0; ordinal < 40; ++ordinal) {
    std::vector<std::int64_t> times(random() % 8);
    for (auto& time : times) time = static_cast<std::int64_t>(random() % 1'000'000'000);
    auto one = measurement(times);
    if (random() % 4 == 0) one.outcome = Outcome::timed_out;
    if (random() % 4 == 0) one.cpu_peak_bytes.reset();
    if (random() % 2 == 0) one.gpu_growth_bytes = static_cast<double>(random() % 1000) / 7;
    if (random() % 2 == 0) one.instructions = {static_cast<std::int64_t>(random() % 1'000'000'000), ordinal, 7, 8};
    must(runs.add({run, build, ordinal}, one));
    added.push_back(one);
  }
  for (const Metric metric : model::all_metrics) {
    std::vector<double> expected;
    for (const auto& one : added) {
      if (const auto value = model::value_of(one, metric)) expected.push_back(*value);
    }
    CHECK(must(runs.values(run, build, {"dlrm", Configuration::cpu_train, metric})) == expected);
  }
}

TEST_CASE("RunStore: the history of a series has the newest nightlies, oldest first", "[storage]") {
  Setting setting;
  RunStore runs(setting.database());
  const auto third = setting.build("2026-01-07");
  const auto first = setting.build("2026-01-05");
  const auto second = setting.build("2026-01-06");
  const auto unmeasured = setting.build("2026-01-08");
  const auto commit = must(BuildStore(setting.database()).begin("demo", model::BuildKind::commit, "x", at(0))).id;
  const auto screen = setting.run("screen", Purpose::screen, 1);
  const auto confirm = setting.run("confirm", Purpose::confirm, 2);
  for (const auto build : {first, second, third, commit}) {
    must(runs.add({screen, build, 0}, measurement({build * 100})));
    must(runs.add({screen, build, 1}, measurement({build * 100 + 1})));
  }
  must(runs.add({confirm, third, 0}, measurement({7})));
  auto crashed = measurement({1});
  crashed.outcome = Outcome::crashed;
  must(runs.add({screen, unmeasured, 0}, crashed));

  const auto points =
      must(runs.series_history("demo", {"dlrm", Configuration::cpu_train, Metric::time}, {.newest = 2}));
  REQUIRE(points.size() == 3);
  CHECK(points[0].nightly == "2026-01-06");
  CHECK(points[0].build_id == second);
  CHECK(points[0].values ==
        std::vector<double>{static_cast<double>(second * 100), static_cast<double>(second * 100 + 1)});
  CHECK(points[1].nightly == "2026-01-07");
  CHECK(points[1].purpose == Purpose::screen);
  CHECK(points[2].nightly == "2026-01-07");
  CHECK(points[2].purpose == Purpose::confirm);
  CHECK(points[2].key == "confirm");
  CHECK(points[2].started == at(2));
  CHECK(points[2].environment == machine.fingerprint());
  CHECK(points[2].values == std::vector<double>{7});
  CHECK(must(runs.series_history("other", {"dlrm", Configuration::cpu_train, Metric::time}, {.newest = 9})).empty());

  // Of one run, processes that took turns are a point of their own.
  auto in_turn = measurement({5});
  in_turn.alternating = true;
  must(runs.add({confirm, third, 1}, in_turn));
  const auto of_both =
      must(runs.series_history("demo", {"dlrm", Configuration::cpu_train, Metric::time}, {.newest = 1}));
  REQUIRE(of_both.size() == 3);
  CHECK_FALSE(of_both[1].alternating);
  CHECK(of_both[1].values == std::vector<double>{7});
  CHECK(of_both[2].alternating);
  CHECK(of_both[2].values == std::vector<double>{5});
  CHECK(must(runs.measured_cases("demo")) == std::vector<model::Case>{{"dlrm", Configuration::cpu_train}});
  CHECK(must(runs.measured_cases("other")).empty());
}

TEST_CASE("RunStore: a corrupted blob is an error that names its row", "[storage]") {
  Setting setting;
  const auto build = setting.build("a");
  const auto run = setting.run("screen");
  RunStore runs(setting.database());
  must(runs.add({run, build, 0}, measurement({1'000'000, 2'000'000})));
  for (const char* blob : {"x''", "x'01ff'", "x'0203'", "x'010203040506'", "NULL"}) {
    setting.tamper("UPDATE measurement SET samples = " + std::string(blob));
    const std::string message = error_of(runs.measurements(run)).message;
    CHECK(contains(message, "row 1 of table measurement"));
    CHECK(contains(message, "samples"));
  }
  setting.tamper("UPDATE measurement SET sample_count = -1");
  CHECK_FALSE(runs.measurements(run).has_value());
}

TEST_CASE("RunStore: a thousand measurements of ten samples take little room", "[storage]") {
  constexpr int processes = 1000;
  Setting setting;
  const auto build = setting.build("2026-01-05");
  const auto run = setting.run("2026-01-05/screen");
  RunStore runs(setting.database());
  std::mt19937_64 random(1);
  std::normal_distribution<double> time(12e6, 2e5);  // 12 ms, a spread of 0.2 ms
  auto& sqlite = setting.database();
  must(sqlite.transaction([&]() -> Status {
    for (int number = 0; number < processes; ++number) {
      std::vector<std::int64_t> times(10);
      for (auto& one : times) one = static_cast<std::int64_t>(time(random));
      auto process = measurement(times, {"benchmark " + std::to_string(number % 50), model::all_configurations[0]});
      process.cpu_growth_bytes = 0;
      must(runs.add({run, build, number / 50}, process));
    }
    return {};
  }));
  setting.reopen();  // the log is folded into the file when it is closed
  const auto empty = [] {
    Fixture fixture;
    fixture.reopen();
    return std::filesystem::file_size(fixture.path());
  }();
  const double bytes = static_cast<double>(std::filesystem::file_size(setting.path()) - empty) / processes;
  WARN("bytes per measurement of 10 samples: " << bytes);
  // 40 benchmarks x 2 configurations x 8 processes x 3,650 nights = 2.3 million: below a gigabyte at 400 bytes each.
  CHECK(bytes < 200);
}

TEST_CASE("RunStore: the window of a history is in the order of versions", "[storage]") {
  Setting setting;
  RunStore runs(setting.database());
  const auto screen = setting.run("screen");
  for (const char* name : {"0.10", "0.8", "0.11", "0.9"})
    must(runs.add({screen, setting.build(name), 0}, measurement({100})));
  const auto names = [&](const storage::HistoryWindow& window) {
    std::vector<std::string> found;
    const auto points = must(runs.series_history("demo", {"dlrm", Configuration::cpu_train, Metric::time}, window));
    for (const auto& point : points) found.push_back(point.nightly);
    return found;
  };
  using Names = std::vector<std::string>;
  CHECK(names({.newest = 9}) == Names{"0.8", "0.9", "0.10", "0.11"});
  CHECK(names({.newest = 2}) == Names{"0.10", "0.11"});
  CHECK(names({.newest = 2, .before = "0.11"}) == Names{"0.9", "0.10"});
  CHECK(names({.newest = 9, .since = "0.9", .before = "0.11"}) == Names{"0.9", "0.10"});
  CHECK(names({.newest = 9, .since = "0.12"}).empty());
}

TEST_CASE("RunStore: the history of a leak says what its values lie between", "[storage]") {
  Setting setting;
  RunStore runs(setting.database());
  const auto screen = setting.run("screen");
  const auto build = setting.build("2026-01-05");
  auto leaking = measurement({100});
  leaking.cpu_growth_bytes = 1040;
  leaking.cpu_growth_interval = model::Interval{1000, 1080};
  must(runs.add({screen, build, 0}, leaking));
  leaking.cpu_growth_interval.reset();
  must(runs.add({screen, build, 1}, leaking));
  const auto points =
      must(runs.series_history("demo", {"dlrm", Configuration::cpu_train, Metric::cpu_leak}, {.newest = 1}));
  REQUIRE(points.size() == 1);
  CHECK(points[0].values == std::vector<double>{1040, 1040});
  REQUIRE(points[0].intervals.size() == 2);
  CHECK(points[0].intervals[0] == model::Interval{1000, 1080});
  CHECK_FALSE(points[0].intervals[1].has_value());
  CHECK(must(runs.series_history("demo", {"dlrm", Configuration::cpu_train, Metric::time}, {.newest = 1}))
            .at(0)
            .intervals.empty());
}

TEST_CASE("RunStore: the runs of a key are also those of other environments, the latest first", "[storage]") {
  Setting setting;
  RunStore runs(setting.database());
  const auto first = setting.run("2026-01-07/screen"), second = setting.run("2026-01-07/screen@abc");
  for (const char* other : {"2026-01-07/screened", "2026-01-07/screen/a", "2026-01-07/confirm", "2026-01-08/screen"})
    setting.run(other);
  const auto found = must(runs.runs_of_key("demo", "2026-01-07/screen"));
  REQUIRE(found.size() == 2);
  CHECK(found[0].id == second);
  CHECK(found[1].id == first);
  CHECK(must(runs.runs_of_key("other", "2026-01-07/screen")).empty());
}

TEST_CASE("RunStore: the two measurements of a pair are kept together or not at all", "[storage]") {
  Setting setting;
  RunStore runs(setting.database());
  const auto before = setting.build("2026-01-06"), after = setting.build("2026-01-07");
  const auto run = setting.run("confirm", Purpose::confirm, 1);
  must(runs.add_pair({run, before, 0}, {run, after, 0}, {measurement({1}), measurement({2})}));
  CHECK(must(runs.count(run, before, {"dlrm", Configuration::cpu_train})) == 1);
  must(runs.add({run, after, 1}, measurement({3})));
  CHECK_FALSE(runs.add_pair({run, before, 1}, {run, after, 1}, {measurement({1}), measurement({2})}));
  CHECK(must(runs.count(run, before, {"dlrm", Configuration::cpu_train})) == 1);
}

}  // namespace tbci::run_store_test
