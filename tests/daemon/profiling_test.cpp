#include "daemon/pipeline/profiling.hpp"

#include <algorithm>

#include "daemon/cli/operator_table.hpp"
#include "daemon/pipeline/building.hpp"
#include "tests/catch.hpp"
#include "tests/daemon/bench.hpp"

#include <nlohmann/json.hpp>

namespace tbci::test {

namespace {

const model::Case beta = {"beta", model::Configuration::cpu_infer};

std::vector<std::string> profiles_in(const FakeWorkshop& workshop) {
  std::vector<std::string> profiles;
  for (const std::string& effect : workshop.effects) {
    if (effect.rfind("profile ", 0) == 0) profiles.push_back(effect);
  }
  return profiles;
}

daemon::Comparison first_and_last(Bench& bench, const FakeWorkshop& workshop) {
  return {daemon::build_commit(bench.desk(), workshop.history.front().id).value(),
          daemon::build_commit(bench.desk(), workshop.history.back().id).value()};
}

}  // namespace

TEST_CASE("Profiling: two builds are profiled in turn, and what is stored is not profiled again", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeWorkshop workshop(5);
  workshop.slower["beta"] = {{2, 1.2}};
  {
    Bench bench(folder.path(), workshop);
    const auto compared = daemon::compare_operators(bench.desk(), first_and_last(bench, workshop), beta);
    REQUIRE(compared);
    REQUIRE(compared->changed.size() == 1);
    CHECK(compared->changed[0].name == "aten.mm.default");
    CHECK(compared->changed[0].difference() == std::chrono::milliseconds(2));
    CHECK(compared->processes == 5);
  }
  const auto profiles = profiles_in(workshop);
  REQUIRE(profiles.size() == 10);
  CHECK(profiles[0] == "profile " + workshop.history.front().id + " beta/cpu-infer");
  CHECK(profiles[1] == "profile " + workshop.history.back().id + " beta/cpu-infer");
  CHECK(profiles[2] == profiles[0]);
  Bench bench(folder.path(), workshop);
  REQUIRE(daemon::compare_operators(bench.desk(), first_and_last(bench, workshop), beta));
  CHECK(profiles_in(workshop).size() == 10);
  // Numbers of another machine are not mixed with these.
  workshop.machine["kernel"] = "another";
  REQUIRE(daemon::compare_operators(bench.desk(), first_and_last(bench, workshop), beta));
  CHECK(profiles_in(workshop).size() == 20);
}

TEST_CASE("Profiling: the culprit is held against its parent, and the report shows what changed", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeWorkshop workshop(71);
  workshop.suite = {"alpha", "beta"};
  workshop.slower["alpha"] = {{42, 1.15}};
  workshop.slower["beta"] = {{42, 1.3}};
  // The commit before the culprit changes nothing that is compiled: what was built is the one before that.
  workshop.history[41].inputs = workshop.history[40].inputs;
  Bench bench(folder.path(), workshop);
  const auto result = daemon::check_night(bench.desk());
  REQUIRE(result);
  REQUIRE(result->reports.size() == 1);
  const auto profiles = profiles_in(workshop);
  REQUIRE(profiles.size() == 10);
  CHECK(profiles[0] == "profile " + workshop.history[40].id + " beta/cpu-infer");  // the worst of the two
  CHECK(profiles[1] == "profile " + workshop.history[42].id + " beta/cpu-infer");
  const std::string& body = result->reports[0].body;
  CHECK(body.find("### Operators that changed") != std::string::npos);
  CHECK(body.find("| aten.mm.default | 6 ms | 9 ms | +3 ms | 100% | 12 |") != std::string::npos);
  CHECK(body.find("relu") == std::string::npos);
}

TEST_CASE("Profiling: workers that know no profile keep no report back", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeWorkshop workshop(20);
  workshop.profiles = false;
  workshop.slower["beta"] = {{11, 1.3}};
  Bench bench(folder.path(), workshop);
  const auto result = daemon::check_night(bench.desk());
  REQUIRE(result);
  REQUIRE(result->reports.size() == 1);
  CHECK(result->reports[0].body.find("Operators that changed") == std::string::npos);
  CHECK(profiles_in(workshop).size() == 1);  // what fails once is not asked for four times more
}

TEST_CASE("Profiling: where no commit is the culprit nothing is profiled", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeWorkshop workshop(71);
  workshop.slower["beta"] = {{42, 1.25}};
  workshop.unbuildable = {41, 42};
  Bench bench(folder.path(), workshop);
  REQUIRE(daemon::check_night(bench.desk()));
  CHECK(profiles_in(workshop).empty());
}

TEST_CASE("Profiling: only time has operators, a leak has none", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeWorkshop workshop(5);
  Bench bench(folder.path(), workshop);
  model::Bisection bisection;
  bisection.from = workshop.history.front().id;
  bisection.to = workshop.history.back().id;
  model::Regression leak;
  leak.finding.series = {"beta", model::Configuration::cpu_infer, model::Metric::cpu_leak};
  leak.suspects = {workshop.history[2].id};
  const auto none = daemon::operators_at_culprit(bench.desk(), &bisection, {leak});
  REQUIRE(none);
  CHECK_FALSE(none->has_value());
  CHECK(workshop.effects.empty());
}

TEST_CASE("Operators: the table and the JSON say what changed", "[cli]") {
  using std::chrono::milliseconds;
  model::OperatorComparison compared;
  compared.measured = beta;
  compared.processes = 5;
  compared.before = milliseconds(10);
  compared.after = milliseconds(12);
  compared.changed = {{"aten.mm.default", milliseconds(6), milliseconds(9), 12, 24},
                      {"aten.relu_\x1b[31m\xff", milliseconds(3), milliseconds(2), 4, 4}};
  const std::string text = daemon::text_of(compared);
  CHECK(text.find("beta/cpu-infer: 10 ms -> 12 ms an iteration (+20.0%) in 5 profiled processes each") !=
        std::string::npos);
  CHECK(text.find("+3 ms") != std::string::npos);
  CHECK(text.find("+30.0%") != std::string::npos);
  CHECK(text.find("-1 ms") != std::string::npos);
  CHECK(text.find('\x1b') == std::string::npos);
  const nlohmann::json json = daemon::json_of(compared);
  CHECK(json["operators"][0]["name"] == "aten.mm.default");
  CHECK(json["operators"][0]["after_nanoseconds"] == 9000000);
  CHECK(json["operators"][0]["calls_before"] == 12);
  CHECK_FALSE(json.dump().empty());  // which throws on what is not UTF-8
  compared.changed.clear();
  CHECK(daemon::text_of(compared).find("no operator changed") != std::string::npos);
}

}  // namespace tbci::test
