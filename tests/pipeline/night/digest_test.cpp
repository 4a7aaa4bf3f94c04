#include "pipeline/night/digest.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "github/digest.hpp"
#include "pipeline/night/digest_facts.hpp"
#include "storage/model/run_keys.hpp"
#include "tests/catch.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::weekly_digest_test {

using namespace tbci::pipeline;

namespace {

TimePoint at(const std::string& date, std::chrono::hours hours = {}) {
  return *date_from(date) + hours;
}

// A database of one subject, and a configuration that asks for a digest on Mondays at 07:00.
struct DigestBench {
  DigestBench() {
    config.subjects.emplace_back();
    config.subjects.back().name = "demo";
    config.report.digest = {
        .weekday = std::chrono::Monday, .time_of_day = std::chrono::hours(7), .channels = {"folder", "mail"}};
  }
  model::Night night(const std::string& date, model::Stage stage = model::Stage::done, const std::string& note = "") {
    const auto begun = stores.nights.begin({.subject = "demo", .name = date, .baseline = "x"}, at(date));
    REQUIRE(begun);
    REQUIRE(stores.nights.finish(begun->id, stage, note, at(date, std::chrono::hours(2))));
    return *begun;
  }
  model::Regression regression(const model::Night& night, const std::string& series) {
    model::Finding finding;
    finding.series = model::series_from(series).value();
    finding.verdict = model::Verdict::regression;
    finding.before = 100;
    finding.after = 112;
    finding.change = 0.12;
    const auto added = stores.nights.add_regression(night.id, finding);
    REQUIRE(added);
    return *added;
  }
  void decide(const model::Regression& regression, model::Standing standing, TimePoint when) {
    REQUIRE(stores.decisions.decide({.id = 0,
                                     .regression_id = regression.id,
                                     .standing = standing,
                                     .person = "tbci",
                                     .reason = "test",
                                     .decided = when}));
  }
  void verdict(const model::Night& night, storage::Phase phase, const std::string& series, model::Verdict verdict) {
    model::Finding finding;
    finding.series = model::series_from(series).value();
    finding.verdict = verdict;
    finding.reason = "too noisy";
    REQUIRE(stores.nights.put_finding(night.id, phase, finding));
  }
  github::DigestFacts facts(const std::string& from, const std::string& to) {
    const auto read = digest_facts(stores, config, at(from), at(to));
    REQUIRE(read);
    return *read;
  }
  std::optional<model::Report> file(TimePoint now) {
    const auto filed = file_due_digest(stores, config, now);
    REQUIRE(filed);
    return *filed;
  }

  test::TemporaryDirectory folder;
  storage::Database database = storage::Database::open(folder / "tbci.sqlite").value();
  storage::Stores stores{database};
  settings::Config config;
};

std::vector<std::int64_t> ids_of(const std::vector<github::DigestRegression>& regressions) {
  std::vector<std::int64_t> ids;
  for (const auto& one : regressions) ids.push_back(one.id);
  return ids;
}

}  // namespace

TEST_CASE("Weekly digest: it was due last on its weekday at its time", "[pipeline]") {
  const settings::DigestConfig monday{
      .weekday = std::chrono::Monday, .time_of_day = std::chrono::hours(7), .channels = {}};
  CHECK(latest_digest_time(monday, at("2026-01-12", std::chrono::hours(7))) == at("2026-01-12", std::chrono::hours(7)));
  CHECK(latest_digest_time(monday, at("2026-01-12", std::chrono::hours(6))) == at("2026-01-05", std::chrono::hours(7)));
  CHECK(latest_digest_time(monday, at("2026-01-18", std::chrono::hours(23))) ==
        at("2026-01-12", std::chrono::hours(7)));
}

TEST_CASE("Weekly digest: each regression stands where the time puts it", "[pipeline]") {
  DigestBench bench;
  const auto old = bench.night("2025-12-20"), tonight = bench.night("2026-01-07"), next = bench.night("2026-01-14");
  const auto open = bench.regression(old, "a/cpu-train/time");
  const auto older_gone = bench.regression(old, "b/cpu-train/time");
  const auto gone = bench.regression(old, "c/cpu-train/time");
  const auto accepted = bench.regression(old, "d/cpu-train/time");
  const auto fresh = bench.regression(tonight, "e/cpu-train/time");
  const auto false_alarm = bench.regression(tonight, "f/cpu-train/time");
  bench.regression(next, "g/cpu-train/time");
  bench.decide(older_gone, model::Standing::recovered, at("2026-01-02"));
  bench.decide(gone, model::Standing::recovered, at("2026-01-06"));
  bench.decide(accepted, model::Standing::accepted, at("2026-01-06"));
  bench.decide(false_alarm, model::Standing::dismissed, at("2026-01-08"));
  const auto facts = bench.facts("2026-01-05", "2026-01-12");
  CHECK(ids_of(facts.regressed) == std::vector{fresh.id});
  CHECK(ids_of(facts.recovered) == std::vector{gone.id});
  CHECK(ids_of(facts.open) == std::vector{open.id});
  CHECK(facts.nights == 1);
  CHECK(facts.open.front().night == "2025-12-20");
  CHECK(facts.open.front().found == at("2025-12-20"));
}

TEST_CASE("Weekly digest: a regression leads to its report and the issue's page", "[pipeline]") {
  DigestBench bench;
  auto regression = bench.regression(bench.night("2026-01-07"), "a/cpu-train/time");
  const model::Report report{.subject = "demo", .marker = "m", .title = "slower", .body = "b", .labels = {}};
  const auto filed = bench.stores.reports.file(report, {"folder", "github"}, at("2026-01-07"));
  REQUIRE(filed);
  REQUIRE(
      bench.stores.reports.delivered(bench.stores.reports.deliveries(filed->id)->at(1).id, "https://h/issues/1", 1));
  regression.report_id = filed->id;
  REQUIRE(bench.stores.nights.update(regression));
  const auto facts = bench.facts("2026-01-05", "2026-01-12");
  REQUIRE(facts.regressed.front().report);
  CHECK(facts.regressed.front().report->id == filed->id);
  CHECK(facts.regressed.front().report->title == "slower");
  CHECK(facts.regressed.front().report->page == "https://h/issues/1");
}

TEST_CASE("Weekly digest: what nights could not tell counts by their last look, and what waits is named",
          "[pipeline]") {
  DigestBench bench;
  using model::Verdict;
  using storage::Phase;
  const auto first = bench.night("2026-01-06"), second = bench.night("2026-01-07");
  bench.verdict(first, Phase::screen, "a/cpu-train/time", Verdict::inconclusive);
  bench.verdict(second, Phase::screen, "a/cpu-train/time", Verdict::clear);
  bench.verdict(second, Phase::screen, "b/cpu-train/time", Verdict::inconclusive);
  bench.verdict(second, Phase::confirm, "b/cpu-train/time", Verdict::clear);
  REQUIRE(bench.stores.retests.replace(second.id, {{.series = model::series_from("c/cpu-train/time").value(),
                                                    .old_build = "o",
                                                    .first_suspect = "s",
                                                    .suspected = 0.06,
                                                    .pairs = {}}}));
  const auto noisy = bench.facts("2026-01-05", "2026-01-12").noisy;
  REQUIRE(noisy.size() == 2);
  CHECK(noisy[0].series.benchmark == "a");
  CHECK(noisy[0].undecided == 1);
  CHECK(noisy[0].nights == 2);
  CHECK(noisy[0].reason == "too noisy");
  CHECK_FALSE(noisy[0].waits);
  CHECK(noisy[1].series.benchmark == "c");
  CHECK(noisy[1].waits);
}

TEST_CASE("Weekly digest: nights that failed and nightlies that were skipped are gaps", "[pipeline]") {
  DigestBench bench;
  bench.night("2026-01-06", model::Stage::failed, "full disk");
  bench.night("2026-01-20", model::Stage::failed, "another week");
  REQUIRE(bench.stores.skips.put("demo", {.name = "2026-01-08",
                                          .cause = model::SkipCause::yanked,
                                          .reason = "broken",
                                          .seen = at("2026-01-08"),
                                          .given_up = at("2026-01-09")}));
  const auto gaps = bench.facts("2026-01-05", "2026-01-12").gaps;
  REQUIRE(gaps.size() == 2);
  CHECK(gaps[0].name == "2026-01-06");
  CHECK(contains(gaps[0].reason, "full disk"));
  CHECK(gaps[1].name == "2026-01-08");
  CHECK(contains(gaps[1].reason, "broken"));
}

TEST_CASE("Weekly digest: cases of the latest night without any value are named by their cause", "[pipeline]") {
  DigestBench bench;
  bench.night("2026-01-07");
  const auto build = bench.stores.builds.begin("demo", model::BuildKind::nightly, "2026-01-07", at("2026-01-07"));
  const auto run = bench.stores.runs.begin(
      {.subject = "demo", .key = model::run_keys::screen("2026-01-07"), .purpose = {}, .runner = "r"}, {},
      at("2026-01-07"));
  REQUIRE(build);
  REQUIRE(run);
  int ordinal = 0;
  const auto ended = [&](const std::string& benchmark, model::Outcome outcome) {
    model::Measurement measurement;
    measurement.measured = {benchmark, model::Configuration::cpu_train};
    measurement.outcome = outcome;
    if (outcome == model::Outcome::done) measurement.nanoseconds = {5};
    REQUIRE(bench.stores.runs.add({.run_id = run->id, .build_id = build->id, .ordinal = ordinal++}, measurement));
  };
  ended("good", model::Outcome::done);
  ended("flaky", model::Outcome::crashed);
  ended("flaky", model::Outcome::done);
  ended("large", model::Outcome::out_of_memory);
  ended("strange", model::Outcome::unsupported);
  const auto unmeasured = bench.facts("2026-01-05", "2026-01-12").unmeasured;
  REQUIRE(unmeasured.size() == 2);
  CHECK(unmeasured[0].outcome == model::Outcome::unsupported);
  CHECK(unmeasured[0].cases == std::vector<std::string>{"strange/cpu-train"});
  CHECK(unmeasured[1].outcome == model::Outcome::out_of_memory);
  CHECK(unmeasured[1].cases == std::vector<std::string>{"large/cpu-train"});
}

TEST_CASE("Weekly digest: filed once a week, and one makes up for those that were missed", "[pipeline]") {
  DigestBench bench;
  CHECK_FALSE(bench.file(at("2026-01-06")));  // no night had begun: there is nothing to tell
  bench.night("2025-12-30");
  const auto first = bench.file(at("2026-01-06"));
  REQUIRE(first);
  CHECK(github::is_digest(*first));
  CHECK(contains(first->title, "2025-12-29 to 2026-01-05"));
  CHECK_FALSE(bench.file(at("2026-01-06")));
  CHECK_FALSE(bench.file(at("2026-01-12", std::chrono::hours(6))));
  // The service was down for three weeks.
  const auto later = bench.file(at("2026-01-28"));
  REQUIRE(later);
  CHECK(contains(later->title, "2026-01-05 to 2026-01-26"));
  CHECK_FALSE(bench.file(at("2026-01-28")));
  const auto filed = bench.stores.reports.list("", 10);
  REQUIRE(filed);
  CHECK(filed->size() == 2);
  const auto deliveries = bench.stores.reports.deliveries(first->id);
  REQUIRE(deliveries);
  REQUIRE(deliveries->size() == 2);
  CHECK(deliveries->at(0).channel == "folder");
  CHECK(deliveries->at(1).channel == "mail");
  CHECK(bench.stores.reports.list("demo", 10)->empty());  // no page of the subject shows it
  bench.config.report.digest.weekday.reset();
  CHECK_FALSE(bench.file(at("2026-03-01")));
}

TEST_CASE("Weekly digest: a draft by hand begins where the last one ended, and is not filed", "[pipeline]") {
  DigestBench bench;
  bench.night("2025-12-30");
  REQUIRE(bench.file(at("2026-01-06")));
  const auto draft = draft_digest(bench.stores, bench.config, std::nullopt, at("2026-01-09"));
  REQUIRE(draft);
  CHECK(contains(draft->title, "2026-01-05 to 2026-01-09"));
  const auto since = draft_digest(bench.stores, bench.config, at("2025-12-01"), at("2026-01-09"));
  REQUIRE(since);
  CHECK(contains(since->title, "2025-12-01 to 2026-01-09"));
  CHECK(bench.stores.reports.list("", 10)->size() == 1);
}

}  // namespace tbci::weekly_digest_test
