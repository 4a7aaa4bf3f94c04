// A database as two nights leave it, written through the stores: one good, one with a regression that was reported.
#pragma once

#include <limits>

#include "storage/bisection_store.hpp"
#include "storage/build_store.hpp"
#include "storage/database.hpp"
#include "storage/decision_store.hpp"
#include "storage/improvement_store.hpp"
#include "storage/night_store.hpp"
#include "storage/report_store.hpp"
#include "storage/run_store.hpp"
#include "tests/catch.hpp"

namespace tbci::test {

/// The texts that come from outside.
struct Outside {
  std::string benchmark = "dlrm";
  std::string commit_subject = "Check bounds in embedding_bag";
  std::string author = "Ada Example";
  std::string reason = "31% slower in 8 of 8 pairs";
  std::string issue = "| benchmark | change |\n|---|---|\n| dlrm | +31.0% |\n";
  std::string message = "this LibTorch has no CUDA";
};

template <typename T>
T value(Result<T> result) {
  INFO((result ? std::string() : result.error().message));
  REQUIRE(result);
  return std::move(*result);
}
inline void ok(const Status& status) {
  INFO((status ? std::string() : status.error().message));
  REQUIRE(status);
}

inline TimePoint moment(int seconds) {
  return TimePoint(std::chrono::seconds(1767751200 + seconds));  // 2026-01-07T02:00:00Z
}

inline const std::string culprit = std::string(39, 'c') + "1";

class Filler {
 public:
  Filler(storage::Database& database, Outside outside) : database_(database), outside_(std::move(outside)) {}

  void fill() {
    good_night();
    bad_night();
  }

 private:
  model::Series series(model::Metric metric) const {
    return {outside_.benchmark, model::Configuration::cpu_train, metric};
  }

  void good_night() {
    storage::NightStore nights(database_);
    const auto night = value(nights.begin({"demo", "2026-01-06", "2026-01-05"}, moment(-86400)));
    ok(nights.put_finding(night.id, storage::Phase::screen,
                          {series(model::Metric::time), model::Verdict::clear, 10e6, 10.1e6, .01, -.01, .03, 0, ""}));
    ok(nights.finish(night.id, model::Stage::done, "", moment(-86000)));
  }

  void measure(std::int64_t build) {
    storage::RunStore runs(database_);
    const auto run = value(runs.begin({"demo", "2026-01-07/screen", model::Purpose::screen, "bench-1"},
                                      {{{"cpu", "Example CPU"}, {"governor", "performance"}}}, moment(10)));
    model::Measurement done;
    done.measured = series(model::Metric::time).measured_case();
    done.nanoseconds = {10'000'000, 10'100'000};
    done.started = moment(11);
    ok(runs.add({run.id, build, 0}, done));
    model::Measurement unsupported;
    unsupported.measured = {outside_.benchmark, model::Configuration::gpu_train};
    unsupported.outcome = model::Outcome::unsupported;
    unsupported.message = outside_.message;
    unsupported.started = moment(12);
    ok(runs.add({run.id, build, 0}, unsupported));
    ok(runs.finish(run.id, moment(20)));
  }

  model::Bisection search() {
    storage::BisectionStore bisections(database_);
    const std::vector affected = {series(model::Metric::time)};
    const std::string from(40, 'a'), to(40, 'b');
    const auto bisection = value(bisections.begin({"demo", "2026-01-07/bisect", from, to, affected}, moment(40)));
    ok(bisections.put_commits(
        "demo", {{culprit, outside_.author, "ada@example.com", moment(-5000), outside_.commit_subject, "inputs"}}));
    ok(bisections.count_build(bisection.id, 7));
    ok(bisections.count_measurement(bisection.id, 42));
    ok(bisections.finish(bisection.id, {{affected[0], {culprit}, .31, .29, .33, ""}}, moment(90)));
    return value(bisections.get(bisection.id));
  }

  void bad_night() {
    storage::NightStore nights(database_);
    storage::BuildStore builds(database_);
    storage::ReportStore reports(database_);
    const auto night = value(nights.begin({"demo", "2026-01-07", "2026-01-06"}, moment(0)));
    const auto build = value(builds.begin("demo", model::BuildKind::nightly, "2026-01-07", moment(1)));
    ok(builds.ready(build.id, {"/opt/torch", {}, {}, std::string(40, 'b'), "2.13.0"}, moment(9)));
    measure(build.id);

    const auto infinite = std::numeric_limits<double>::infinity();
    const model::Finding slow{
        series(model::Metric::time), model::Verdict::regression, 10e6, 13.1e6, .31, .29, .33, 8, outside_.reason};
    model::Finding suspected = slow;
    suspected.verdict = model::Verdict::suspect;
    suspected.pairs = 0;
    const model::Finding leak{
        series(model::Metric::cpu_leak), model::Verdict::suspect, 0, 4096, infinite, infinite, infinite, 0, "grows"};
    const model::Finding memory{
        series(model::Metric::cpu_memory), model::Verdict::clear, 1e8, 1e8, 0, -.01, .01, 0, ""};
    for (const auto& finding : {suspected, leak, memory}) {
      ok(nights.put_finding(night.id, storage::Phase::screen, finding));
    }
    ok(nights.put_finding(night.id, storage::Phase::confirm, slow));

    auto regression = value(nights.add_regression(night.id, slow));
    regression.bisection_id = search().id;
    regression.suspects = {culprit};
    regression.state = model::RegressionState::reported;
    const auto report = value(reports.file(
        {0, "demo", "tbci:demo:" + culprit, outside_.benchmark + " is 31% slower", outside_.issue, {"performance"}, {}},
        {"folder", "github"}, moment(95)));
    regression.report_id = report.id;
    ok(nights.update(regression));
    const auto deliveries = value(reports.deliveries(report.id));
    ok(reports.delivered(deliveries.front().id, "outbox/1.md", 1));
    ok(nights.finish(night.id, model::Stage::done, "", moment(100)));
  }

  storage::Database& database_;
  Outside outside_;
};

inline const std::string repair = std::string(39, 'd') + "2";

/// On top of it: a night on which the regression was gone first, by a commit that was found and takes the culprit back.
inline void fill_recovery(const std::filesystem::path& path, const std::string& commit_subject = "Take it back") {
  auto database = value(storage::Database::open(path));
  storage::NightStore nights(database);
  storage::ImprovementStore improvements(database);
  const auto regression = value(nights.latest_regressions("demo", 1)).at(0);
  const auto night = value(nights.begin({"demo", "2026-01-08", "2026-01-07"}, moment(86400)));
  const model::Finding fast{regression.finding.series, model::Verdict::improvement, 13.1e6, 10e6, -.237, -.25, -.22, 8,
                            "13.1 ms became 10 ms"};
  ok(nights.put_finding(night.id, storage::Phase::confirm, fast));
  ok(storage::BisectionStore(database).put_commits(
      "demo", {{repair, "Bob Example", "bob@example.com", moment(80000), commit_subject, "inputs 2"}}));
  auto improvement = value(improvements.add(night.id, fast, "2026-01-07"));
  improvement.state = model::ImprovementState::attributed;
  improvement.suspects = {repair};
  ok(improvements.update(improvement));
  ok(nights.finish(night.id, model::Stage::done, "", moment(86500)));
  ok(storage::DecisionStore(database).decide(
      {0, regression.id, model::Standing::recovered, "tbci", "three nights", moment(86500)}));
  ok(improvements.put_ending({.regression_id = regression.id,
                              .night_id = night.id,
                              .since_id = regression.night_id,
                              .improvement_id = improvement.id,
                              .revert_commit = repair,
                              .told = true}));
}

inline void fill(const std::filesystem::path& path, const Outside& outside = {}) {
  auto database = value(storage::Database::open(path));
  Filler(database, outside).fill();
}

}  // namespace tbci::test
