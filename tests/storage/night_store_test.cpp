#include "storage/night_store.hpp"

#include <cmath>
#include <limits>

#include "storage/bisection_store.hpp"
#include "storage/decision_store.hpp"
#include "storage/report_store.hpp"
#include "tests/storage/stores.hpp"

namespace tbci::night_store_test {

using namespace tbci::test;
using model::RegressionState;
using model::Stage;
using model::Verdict;
using storage::NightStore;
using storage::Phase;

namespace {

const model::Series dlrm = {"dlrm", model::Configuration::cpu_train, model::Metric::time};
const model::Series bert = {"bert", model::Configuration::cpu_infer, model::Metric::cpu_leak};

model::Finding finding(const model::Series& series, Verdict verdict = Verdict::regression) {
  return {series, verdict, 100.5, 120.25, 0.197, 0.15, 0.24, 12, "19.7% slower in 12 of 12 pairs"};
}

void check_same(const model::Finding& left, const model::Finding& right) {
  CHECK(left.series == right.series);
  CHECK(left.verdict == right.verdict);
  CHECK(left.before == right.before);
  CHECK(left.after == right.after);
  CHECK(left.change == right.change);
  CHECK(left.low == right.low);
  CHECK(left.high == right.high);
  CHECK(left.pairs == right.pairs);
  CHECK(left.reason == right.reason);
}

}  // namespace

TEST_CASE("NightStore: a night goes through its stages and survives a reopening", "[storage]") {
  Fixture fixture;
  const auto begun = must(NightStore(fixture.database()).begin({"demo", "2026-01-07", "2026-01-06"}, at(1)));
  CHECK(begun.stage == Stage::install);
  must(NightStore(fixture.database()).enter(begun.id, Stage::confirm, "two suspects"));
  fixture.reopen();
  NightStore nights(fixture.database());
  auto night = must(nights.begin({"demo", "2026-01-07", "another"}, at(5)));
  CHECK(night.id == begun.id);
  CHECK(night.baseline == "2026-01-06");
  CHECK(night.stage == Stage::confirm);
  CHECK(night.note == "two suspects");
  CHECK(night.started == at(1));
  must(nights.enter(night.id, Stage::bisect));
  CHECK(must(nights.get(night.id)).note == "two suspects");
  must(nights.finish(night.id, Stage::done, "", at(9)));
  night = must(nights.get(night.id));
  CHECK(night.stage == Stage::done);
  CHECK(night.note.empty());
  CHECK(night.finished == at(9));
  CHECK_FALSE(nights.enter(99, Stage::bisect).has_value());
  CHECK_FALSE(nights.finish(99, Stage::failed, "", at(0)).has_value());
}

TEST_CASE("NightStore: finds nights by name, the latest, and the unfinished", "[storage]") {
  Fixture fixture;
  NightStore nights(fixture.database());
  CHECK_FALSE(must(nights.latest("demo")).has_value());
  for (const char* name : {"2026-01-06", "2026-01-08", "2026-01-07"}) must(nights.begin({"demo", name, ""}, at(0)));
  must(nights.begin({"other", "2026-02-01", ""}, at(0)));
  CHECK(must(nights.latest("demo"))->name == "2026-01-08");
  CHECK(must(nights.list("demo", 2))[1].name == "2026-01-07");
  must(nights.finish(must(nights.find("demo", "2026-01-07"))->id, Stage::failed, "no space", at(1)));
  const auto unfinished = must(nights.unfinished("demo"));
  REQUIRE(unfinished.size() == 2);
  CHECK(unfinished[0].name == "2026-01-06");
  CHECK(unfinished[1].name == "2026-01-08");
  CHECK_FALSE(must(nights.find("demo", "2026-01-09")).has_value());
}

TEST_CASE("NightStore: a finding replaces an earlier one of its phase", "[storage]") {
  Fixture fixture;
  NightStore nights(fixture.database());
  const auto night = must(nights.begin({"demo", "2026-01-07", ""}, at(0))).id;
  must(nights.put_finding(night, Phase::screen, finding(dlrm, Verdict::clear)));
  must(nights.put_finding(night, Phase::screen, finding(dlrm, Verdict::suspect)));
  must(nights.put_finding(night, Phase::screen, finding(bert, Verdict::environment_changed)));
  must(nights.put_finding(night, Phase::confirm, finding(dlrm)));
  const auto screened = must(nights.findings(night, Phase::screen));
  REQUIRE(screened.size() == 2);
  check_same(screened[0], finding(bert, Verdict::environment_changed));
  check_same(screened[1], finding(dlrm, Verdict::suspect));
  CHECK(must(nights.findings(night, Phase::confirm)).size() == 1);
  const auto all = must(nights.findings(night));
  REQUIRE(all.size() == 3);
  check_same(all[2], finding(dlrm));
  CHECK(error_of(nights.put_finding(99, Phase::screen, finding(dlrm))).message.find("FOREIGN KEY") !=
        std::string::npos);
}

TEST_CASE("NightStore: infinite changes and unknown numbers come back as they were", "[storage]") {
  Fixture fixture;
  NightStore nights(fixture.database());
  const auto night = must(nights.begin({"demo", "2026-01-07", ""}, at(0))).id;
  auto odd = finding(bert);
  odd.before = 0;
  odd.change = std::numeric_limits<double>::infinity();
  odd.low = -std::numeric_limits<double>::infinity();
  odd.high = std::numeric_limits<double>::quiet_NaN();
  must(nights.put_finding(night, Phase::screen, odd));
  const auto back = must(nights.findings(night)).at(0);
  CHECK(back.change == odd.change);
  CHECK(back.low == odd.low);
  CHECK(std::isnan(back.high));
}

TEST_CASE("NightStore: a series whose text would not read back is refused", "[storage]") {
  Fixture fixture;
  NightStore nights(fixture.database());
  const auto night = must(nights.begin({"demo", "2026-01-07", ""}, at(0))).id;
  CHECK_FALSE(nights.put_finding(night, Phase::screen, finding({"a/b", {}, {}})).has_value());
  CHECK(must(nights.findings(night)).empty());
}

TEST_CASE("NightStore: a regression is added once and keeps what is written to it", "[storage]") {
  Fixture fixture;
  NightStore nights(fixture.database());
  const auto night = must(nights.begin({"demo", "2026-01-07", ""}, at(0))).id;
  auto regression = must(nights.add_regression(night, finding(dlrm), "2026-01-04"));
  CHECK(regression.old_build == "2026-01-04");
  CHECK(regression.state == RegressionState::confirmed);
  CHECK(regression.night_id == night);
  check_same(regression.finding, finding(dlrm));
  CHECK_FALSE(regression.bisection_id.has_value());

  storage::BisectionStore bisections(fixture.database());
  storage::ReportStore reports(fixture.database());
  regression.bisection_id =
      must(bisections.begin({.subject = "demo", .key = "2026-01-07", .from = "a", .to = "b", .series = {dlrm}}, at(1)))
          .id;
  model::Report report;
  report.subject = "demo";
  report.marker = "marker";
  regression.report_id = must(reports.file(report, {}, at(2))).id;
  regression.state = RegressionState::attributed;
  regression.suspects = {"abc", "def"};
  regression.reason = "def does not build";
  regression.finding.pairs = 20;
  must(nights.update(regression));
  fixture.reopen();
  NightStore after(fixture.database());
  const auto again = must(after.add_regression(night, finding(dlrm, Verdict::suspect)));
  CHECK(again.id == regression.id);
  CHECK(again.state == RegressionState::attributed);
  CHECK(again.suspects == regression.suspects);
  CHECK(again.reason == regression.reason);
  CHECK(again.bisection_id == regression.bisection_id);
  CHECK(again.report_id == regression.report_id);
  CHECK(again.old_build == "2026-01-04");
  check_same(again.finding, regression.finding);
  CHECK(must(after.regression(regression.id)).id == regression.id);

  regression.report_id = 99;
  CHECK_FALSE(after.update(regression).has_value());
  CHECK_FALSE(after.regression(99).has_value());
}

TEST_CASE("NightStore: each step of a series is a regression of its own", "[storage]") {
  Fixture fixture;
  NightStore nights(fixture.database());
  const auto night = must(nights.begin({"demo", "2026-01-07", ""}, at(0))).id;
  const auto largest = must(nights.add_regression(night, finding(dlrm)));
  auto further = must(nights.add_regression(night, finding(dlrm), "2026-01-04", 1));
  CHECK(largest.step == 0);
  CHECK(further.step == 1);
  CHECK(further.id != largest.id);
  CHECK(must(nights.add_regression(night, finding(dlrm), "", 1)).id == further.id);
  further.suspects = {"abc"};
  must(nights.update(further));
  CHECK(must(nights.regression(further.id)).step == 1);
  CHECK(must(nights.regression(largest.id)).suspects.empty());
}

TEST_CASE("NightStore: open regressions are those of the subject that have not recovered", "[storage]") {
  Fixture fixture;
  NightStore nights(fixture.database());
  const auto first = must(nights.begin({"demo", "2026-01-06", ""}, at(0))).id;
  const auto second = must(nights.begin({"demo", "2026-01-07", ""}, at(0))).id;
  const auto other = must(nights.begin({"other", "2026-01-07", ""}, at(0))).id;
  auto recovered = must(nights.add_regression(first, finding(dlrm)));
  must(nights.add_regression(first, finding(bert)));
  must(nights.add_regression(second, finding(dlrm)));
  must(nights.add_regression(other, finding(dlrm)));
  must(storage::DecisionStore(fixture.database())
           .decide({0, recovered.id, model::Standing::recovered, "tbci", "three nights", at(1)}));
  const auto open = must(nights.open_regressions("demo"));
  REQUIRE(open.size() == 2);
  CHECK(open[0].finding.series == bert);
  CHECK(open[1].night_id == second);
  const auto of_series = must(nights.open_regressions("demo", dlrm));
  REQUIRE(of_series.size() == 1);
  CHECK(of_series[0].night_id == second);
  CHECK(must(nights.open_regressions("none", dlrm)).empty());
  CHECK(must(nights.regressions(first)).size() == 2);
}

TEST_CASE("NightStore: the findings and regressions of one series over the nights", "[storage]") {
  Fixture fixture;
  NightStore nights(fixture.database());
  for (int number = 1; number <= 4; ++number) {
    const std::string name = "2026-01-0" + std::to_string(number);
    const auto night = must(nights.begin({"demo", name, ""}, at(number)));
    must(nights.put_finding(night.id, Phase::screen, finding(dlrm, number == 3 ? Verdict::suspect : Verdict::clear)));
    must(nights.put_finding(night.id, Phase::screen, finding(bert)));
    if (number != 3) continue;
    must(nights.put_finding(night.id, Phase::confirm, finding(dlrm)));
    must(nights.add_regression(night.id, finding(bert)));
    auto regression = must(nights.add_regression(night.id, finding(dlrm)));
    regression.state = RegressionState::unattributed;
    must(nights.update(regression));
  }
  const auto elsewhere = must(nights.begin({"other", "2026-01-03", ""}, at(9)));
  must(nights.put_finding(elsewhere.id, Phase::screen, finding(dlrm)));
  must(nights.add_regression(elsewhere.id, finding(dlrm)));

  const auto found = must(nights.series_findings("demo", dlrm, 3));
  REQUIRE(found.size() == 4);
  CHECK(found[0].night == "2026-01-02");
  CHECK(found[1].night == "2026-01-03");
  CHECK(found[1].phase == Phase::screen);
  CHECK(found[2].night == "2026-01-03");
  CHECK(found[2].phase == Phase::confirm);
  check_same(found[2].finding, finding(dlrm));
  CHECK(found[3].night == "2026-01-04");
  const auto regressions = must(nights.series_regressions("demo", dlrm));
  REQUIRE(regressions.size() == 1);
  CHECK(regressions[0].state == RegressionState::unattributed);
  CHECK(must(nights.series_regressions("none", dlrm)).empty());
  CHECK(must(nights.accepted_regressions("demo", dlrm)).empty());
  const model::Decision accepted{0, regressions[0].id, model::Standing::accepted, "ada", "wanted", at(5)};
  must(storage::DecisionStore(fixture.database()).decide(accepted));
  CHECK(must(nights.accepted_regressions("demo", dlrm)).size() == 1);
  CHECK(must(nights.accepted_regressions("none", dlrm)).empty());
  CHECK_FALSE(nights.series_findings("demo", {"a/b", dlrm.configuration, dlrm.metric}, 3).has_value());
}

TEST_CASE("NightStore: nights follow each other by version, and are numbered as they were begun", "[storage]") {
  Fixture fixture;
  NightStore nights(fixture.database());
  for (const char* name : {"0.9", "0.8", "0.11", "0.10"}) must(nights.begin({"demo", name, ""}, at(0)));
  must(nights.begin({"other", "0.9", ""}, at(0)));
  using Names = std::vector<std::string>;
  const auto names = [](const std::vector<model::Night>& found) {
    Names all;
    for (const model::Night& night : found) all.push_back(night.name);
    return all;
  };
  CHECK(must(nights.latest("demo"))->name == "0.11");
  CHECK(names(must(nights.list("demo", 3))) == Names{"0.11", "0.10", "0.9"});
  CHECK(names(must(nights.unfinished("demo"))) == Names{"0.8", "0.9", "0.10", "0.11"});
  CHECK(names(must(nights.before("demo", "0.11", 2))) == Names{"0.9", "0.10"});
  CHECK(names(must(nights.before("demo", "0.10.1", 9))) == Names{"0.8", "0.9", "0.10"});
  CHECK(names(must(nights.before("demo", "0.8", 9))).empty());
  CHECK(must(nights.find("demo", "0.9"))->number == 1);
  CHECK(must(nights.find("demo", "0.10"))->number == 4);
  CHECK(must(nights.find("other", "0.9"))->number == 1);
  CHECK(must(nights.begin({"demo", "0.9", ""}, at(0))).number == 1);
}

TEST_CASE("NightStore: the first night after a time has its number", "[storage]") {
  Fixture fixture;
  NightStore nights(fixture.database());
  for (int number = 1; number <= 3; ++number)
    must(nights.begin({"demo", "2026-01-0" + std::to_string(number), ""}, at(10 * number)));
  CHECK(must(nights.first_number_after("demo", at(0))) == 1);
  CHECK(must(nights.first_number_after("demo", at(10))) == 2);
  CHECK(must(nights.first_number_after("demo", at(25))) == 3);
  CHECK_FALSE(must(nights.first_number_after("demo", at(30))).has_value());
  CHECK_FALSE(must(nights.first_number_after("other", at(0))).has_value());
}

}  // namespace tbci::night_store_test
