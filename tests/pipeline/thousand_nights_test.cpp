// A few of the simulated nights of tests/bench/thousand_nights, and that its judge finds what is wrong.
#include <algorithm>

#include "base/log.hpp"
#include "tests/bench/thousand_nights/judgement.hpp"
#include "tests/catch.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::thousand_nights_test {

using thousand::Wrong;

namespace {

/// Small years in a folder of their own.
struct SmallYears {
  SmallYears(const std::string& kinds, std::uint64_t seed, bool improvements = false)
      : years({.nights = 40,
               .benchmarks = 2,
               .seed = seed,
               .kinds = thousand::kinds_from(kinds).value(),
               .improvements = improvements,
               .crashes = {}},
              folder.path()) {
    log::set_level(log::Level::off);
    const Status lived = years.live();
    INFO((lived ? std::string() : lived.error().message));
    REQUIRE(lived);
  }
  thousand::Judgement judgement() {
    auto judged = thousand::judge(years);
    INFO((judged ? std::string() : judged.error().message));
    REQUIRE(judged);
    return std::move(*judged);
  }

  test::TemporaryDirectory folder;
  thousand::Years years;
};

std::string text_of(const thousand::Judgement& judgement) {
  std::string text;
  for (const thousand::Complaint& one : judgement.complaints)
    text += fmt::format("{}: {} {}: expected {}; came {}\n", to_string(one.wrong), one.night, one.series, one.expected,
                        one.came);
  return text;
}

int count(const thousand::Judgement& judgement, Wrong wrong) {
  return static_cast<int>(std::ranges::count(judgement.complaints, wrong, &thousand::Complaint::wrong));
}

}  // namespace

TEST_CASE("Thousand nights: improvements get their commits, and regressions their end, with kills in between",
          "[thousand][long]") {
  int exact = 0, reverts = 0;
  for (const std::uint64_t seed : {1U, 2U}) {
    SmallYears small("step,revert,recovery,improvement,kill", seed, true);
    const thousand::Judgement judgement = small.judgement();
    INFO("seed " << seed << "\n" << text_of(judgement));
    CHECK(judgement.complaints.empty());
    for (const auto& [kind, tally] : judgement.gains) exact += tally.exact;
    reverts += judgement.figures.reverts;
  }
  CHECK(exact > 2);
  CHECK(reverts > 0);
}

TEST_CASE("Thousand nights: killed, without a network and out of space, each step is reported once with its culprit",
          "[thousand][long]") {
  for (const std::uint64_t seed : {1U, 2U}) {
    SmallYears small("step,twins,kill,index,git,github,disk", seed);
    const thousand::Judgement judgement = small.judgement();
    INFO("seed " << seed << "\n" << text_of(judgement));
    CHECK(judgement.complaints.empty());
    CHECK(judgement.figures.kills > 5);
    CHECK(judgement.figures.done == judgement.figures.nights);
    CHECK(judgement.steps.at(thousand::Kind::step).exact > 0);
  }
}

TEST_CASE("Thousand nights: killed and crashing by chance, each break is reported once with its culprit",
          "[thousand][long]") {
  for (const std::uint64_t seed : {1U, 2U}) {
    SmallYears small("break,crash,kill,person", seed);
    const thousand::Judgement judgement = small.judgement();
    INFO("seed " << seed << "\n" << text_of(judgement));
    CHECK(judgement.complaints.empty());
    const thousand::Tally& breaks = judgement.steps.at(thousand::Kind::broken);
    CHECK(breaks.expected > 0);
    CHECK(breaks.exact == breaks.expected);
  }
}

TEST_CASE("Thousand nights: the judge finds a report without a cause and an event that did not happen", "[thousand]") {
  SmallYears small("step", 1);
  REQUIRE(small.judgement().complaints.empty());
  storage::Stores& stores = small.years.stores();
  const auto nights = stores.nights.list("simulated", 100).value();
  REQUIRE(nights.size() > 20);
  const model::Night& night = nights[nights.size() / 2];
  const auto& measured = small.years.history().cases().front();
  // Of memory, which none of these commits changes.
  model::Finding finding;
  finding.series = {measured.benchmark, measured.configuration, model::Metric::cpu_memory};
  finding.verdict = model::Verdict::regression;
  finding.change = finding.low = finding.high = 0.2;
  REQUIRE(stores.nights.add_regression(night.id, finding, night.baseline));
  REQUIRE(stores.events.notice({.night_id = night.id,
                                .runner = "simulated",
                                .kind = model::EventKind::moved,
                                .series = finding.series,
                                .reason = "made up"},
                               night.started));
  const thousand::Judgement judgement = small.judgement();
  CHECK(count(judgement, Wrong::no_cause) == 1);
  CHECK(count(judgement, Wrong::event_no_cause) == 1);
  CHECK(count(judgement, Wrong::never_ends) == 1);  // it is open, and what it tells of is not there
  CHECK(judgement.complaints.size() == 3);
}

TEST_CASE("Thousand nights: the judge finds a wrong culprit, a step without a report, and a night without an end",
          "[thousand][long]") {
  SmallYears small("step", 1);
  storage::Stores& stores = small.years.stores();
  auto regressions = stores.nights.open_regressions("simulated").value();
  REQUIRE(regressions.size() > 1);
  model::Regression& blamed = regressions.front();
  REQUIRE(blamed.suspects.size() == 1);
  const std::size_t culprit = small.years.history().index_of(blamed.suspects.front()).value();
  blamed.suspects = {small.years.history().commits()[culprit - 1].id};
  REQUIRE(stores.nights.update(blamed));
  model::Regression& silent = regressions.back();
  silent.report_id.reset();
  REQUIRE(stores.nights.update(silent));
  const auto nights = stores.nights.list("simulated", 100).value();
  const model::Night& stuck = nights[nights.size() - 10];
  REQUIRE(stuck.stage == model::Stage::done);
  REQUIRE(stores.nights.enter(stuck.id, model::Stage::bisect));
  const thousand::Judgement judgement = small.judgement();
  INFO(text_of(judgement));
  CHECK(count(judgement, Wrong::wrong_culprit) == 1);
  CHECK(count(judgement, Wrong::missed) >= 1);
  CHECK(count(judgement, Wrong::stands_still) == 1);
}

TEST_CASE("Thousand nights: the judge finds improvements that are wrong, missing or made up, and a wrong revert",
          "[thousand][long]") {
  SmallYears small("revert,improvement", 1, true);
  REQUIRE(small.judgement().complaints.empty());
  storage::Stores& stores = small.years.stores();
  const auto nights = stores.nights.list("simulated", 100).value();
  std::vector<model::Improvement> all;
  for (const model::Night& night : nights) {
    const auto of_night = stores.improvements.of_night(night.id).value();
    all.insert(all.end(), of_night.begin(), of_night.end());
  }
  REQUIRE(all.size() > 1);
  const std::size_t right = small.years.history().index_of(all.back().suspects.at(0)).value();
  all.back().suspects = {small.years.history().commits()[right - 1].id};
  REQUIRE(stores.improvements.update(all.back()));
  const model::Night& night = nights[nights.size() / 2];
  model::Finding finding = all.front().finding;  // of leaks, which none of these commits changes
  finding.series.metric = model::Metric::cpu_leak;
  REQUIRE(stores.improvements.add(night.id, finding, night.baseline));
  const auto regressions = stores.nights.latest_regressions("simulated", 100).value();
  for (const model::Regression& regression : regressions) {
    auto ending = stores.improvements.ending_of(regression.id).value();
    if (!ending || ending->revert_commit.empty()) continue;
    ending->revert_commit.clear();
    REQUIRE(stores.improvements.put_ending(*ending));
  }
  const thousand::Judgement judgement = small.judgement();
  INFO(text_of(judgement));
  CHECK(count(judgement, Wrong::gain_wrong_commit) == 1);
  CHECK(count(judgement, Wrong::gain_no_cause) == 1);
  CHECK(count(judgement, Wrong::gain_waits) == 1);
  CHECK(count(judgement, Wrong::wrong_ending) >= 1);
}

TEST_CASE("Thousand nights: what a person muted is not expected, also where the clock was set back for a night",
          "[thousand]") {
  using std::chrono::days;
  const model::Series series{"alpha", model::Configuration::cpu_infer, model::Metric::time};
  const TimePoint begun{days(1000)};
  thousand::Diary diary;
  diary.words.push_back({.series = series, .nightly = "", .anchor = false, .from = begun, .until = begun + days(10)});
  const auto nights_from = [&](TimePoint first) {
    std::vector<thousand::Checked> nights(3);
    nights[0].started = first;
    nights[1].started = first + days(1);
    nights[2].started = begun - days(99);
    return nights;
  };
  CHECK(is_muted(diary, series, nights_from(begun + days(9))));
  CHECK(is_muted(diary, series, nights_from(begun - days(1))));  // the person spoke later that day
  CHECK_FALSE(is_muted(diary, series, nights_from(begun - days(3))));
  CHECK_FALSE(is_muted(diary, series, nights_from(begun + days(11))));
  const model::Series other{"alpha", model::Configuration::cpu_infer, model::Metric::cpu_memory};
  CHECK_FALSE(is_muted(diary, other, nights_from(begun)));
}

TEST_CASE("Thousand nights: the same seed gives the same years", "[thousand][long]") {
  SmallYears one("step,crash,kill", 3), other("step,crash,kill", 3);
  CHECK(one.years.diary().kills == other.years.diary().kills);
  CHECK(one.years.machine().effort().processes == other.years.machine().effort().processes);
}

TEST_CASE("Thousand nights: kinds are read by their names", "[thousand]") {
  CHECK(thousand::kinds_from("step, break").value() == thousand::Kinds{thousand::Kind::step, thousand::Kind::broken});
  const auto wrong = thousand::kinds_from("stepp");
  REQUIRE(!wrong);
  CHECK(wrong.error().message.find("no-build") != std::string::npos);
}

}  // namespace tbci::thousand_nights_test
