// Which culprit goes on with which report, after a search that a person asked for.
#include "pipeline/night/report_owners.hpp"

#include <utility>

#include "pipeline/night/regression_decisions.hpp"
#include "pipeline/night/waiting_nights.hpp"
#include "tests/catch.hpp"
#include "tests/pipeline/nights.hpp"

namespace tbci::report_owners_test {

using namespace tbci::test;

namespace {

constexpr std::size_t first = 6 * commits_a_day - 3, second = 6 * commits_a_day - 1;  // both of night 6

struct SearchedNights : Nights {
  SearchedNights() : Nights(16) {}

  storage::Stores& stores() { return bench->stores(); }
  std::string& repository() { return bench->config().subjects.front().source.repository; }
  /// The oldest first.
  std::vector<model::Report> reports() {
    auto all = stores().reports.list("fake", 9).value();
    std::ranges::sort(all, {}, &model::Report::id);
    return all;
  }
  std::vector<model::Regression> regressions_of(const model::Report& report) {
    return stores().nights.regressions_of_report(report.id).value();
  }
  std::string benchmark_of(const model::Report& report) {
    const auto all = regressions_of(report);
    REQUIRE(all.size() == 1);
    return all.front().finding.series.benchmark;
  }
  std::vector<std::string> notes_of(const model::Report& report) {
    std::vector<std::string> texts;
    const auto notes = stores().reports.notes_after(report.id, 0).value();
    for (const model::ReportNote& note : notes) texts.push_back(note.text);
    return texts;
  }
  void search() {
    const auto searched = pipeline::search_waiting_night(bench->context());
    REQUIRE(searched);
    REQUIRE(searched->worked);
  }
};

}  // namespace

TEST_CASE("Report owners: two culprits of a report without one have an issue each", "[nights]") {
  SearchedNights nights;
  nights.machine.slower = {{"alpha", {{first, 1.25}}}, {"beta", {{second, 1.3}}}};
  const std::string repository = std::exchange(nights.repository(), "");
  nights.check_all(1, 6);
  REQUIRE(nights.reports().size() == 1);
  REQUIRE(nights.regressions_of(nights.reports().front()).size() == 2);

  nights.repository() = repository;
  REQUIRE(pipeline::search_again(nights.stores(), nights.reports().front().id).value() == 2);
  nights.search();
  const auto reports = nights.reports();
  REQUIRE(reports.size() == 2);
  for (const model::Report& report : reports) {
    const bool alpha = nights.benchmark_of(report) == "alpha";
    CHECK(report.open);
    CHECK(report.culprits == std::vector{nights.commit(alpha ? first : second)});
    CHECK((report.body.find("alpha (cpu-infer)") != std::string::npos) == alpha);
    INFO(report.body);
    CHECK((report.body.find("beta (cpu-infer)") != std::string::npos) == !alpha);
  }
}

TEST_CASE("Report owners: where two reports turn out to have one culprit, one goes on and the other ends", "[nights]") {
  SearchedNights nights;
  nights.machine.slower = {{"alpha", {{first, 1.25}}}, {"beta", {{second, 1.3}}}};
  nights.check_all(1, 6);
  const auto before = nights.reports();
  REQUIRE(before.size() == 2);

  nights.machine.slower["beta"] = {{first, 1.3}};
  for (const model::Report& report : before) REQUIRE(pipeline::search_again(nights.stores(), report.id).value() == 1);
  nights.search();
  const auto after = nights.reports();
  REQUIRE(after.size() == 2);
  const bool front_stays = before.front().culprits == std::vector{nights.commit(first)};
  const model::Report& stays = front_stays ? after.front() : after.back();
  const model::Report& ends = front_stays ? after.back() : after.front();
  CHECK(stays.open);
  CHECK(stays.culprits == std::vector{nights.commit(first)});
  CHECK(nights.regressions_of(stays).size() == 2);
  CHECK_FALSE(ends.open);
  CHECK(nights.regressions_of(ends).empty());
  const auto notes = nights.notes_of(ends);
  REQUIRE(notes.size() == 1);
  INFO(notes.front());
  CHECK(notes.front().starts_with("**Settled.** Another search found other culprits"));
}

TEST_CASE(
    "Report owners: a second step that another search does not find ends, and one that it finds elsewhere goes on",
    "[nights]") {
  for (const bool lost : {true, false}) {
    SearchedNights nights;
    nights.machine.slower["beta"] = {{first, 1.4}, {second, 1.25}};
    nights.check_all(1, 6);
    const auto before = nights.reports();
    REQUIRE(before.size() == 2);
    const bool front_is_first = before.front().culprits == std::vector{nights.commit(first)};
    const std::size_t of_first = front_is_first ? 0 : 1, of_second = 1 - of_first;
    REQUIRE(before[of_second].culprits == std::vector{nights.commit(second)});

    nights.machine.slower["beta"] = {{first, 1.4}, {second - 1, lost ? 1.0 : 1.33}};
    REQUIRE(pipeline::search_again(nights.stores(), before[of_first].id).value() == 1);
    nights.search();
    const auto after = nights.reports();
    REQUIRE(after.size() == 2);
    CHECK(after[of_first].open);
    CHECK(after[of_first].culprits == std::vector{nights.commit(first)});
    CHECK(after[of_second].open != lost);
    const auto step = nights.regressions_of(after[of_second]).at(0);
    CHECK(step.standing == (lost ? model::Standing::dismissed : model::Standing::open));
    if (lost) {
      REQUIRE_FALSE(nights.notes_of(after[of_second]).empty());
      CHECK(nights.notes_of(after[of_second]).back().find("another search did not find it") != std::string::npos);
    } else {
      CHECK(after[of_second].culprits == std::vector{nights.commit(second - 1)});
      CHECK(step.finding.change == Approx(0.33).margin(0.02));
    }
  }
}

TEST_CASE("Report owners: what a person dismisses while evidence is taken is not filed", "[nights]") {
  for (const bool both : {false, true}) {
    SearchedNights nights;
    nights.machine.slower = {{"alpha", {{second, 1.25}}}, {"beta", {{second, 1.3}}}};
    nights.check_all(1, 5);
    bool dismissed = false;
    nights.machine.before_effect = [&](const std::string& effect) -> Status {
      if (!effect.starts_with("profile") || std::exchange(dismissed, true)) return {};
      for (const model::Regression& one : nights.regressions()) {
        if (both || one.finding.series.benchmark == "alpha")
          TBCI_TRY(
              pipeline::dismiss_regression(nights.stores(), one.id, {.person = "ada", .reason = "noise", .now = {}}));
      }
      return {};
    };
    nights.check(6);
    CHECK(dismissed);
    REQUIRE(nights.reports().size() == (both ? 0 : 1));
    if (!both) {
      CHECK(nights.benchmark_of(nights.reports().front()) == "beta");
      CHECK(nights.reports().front().title.find("more") == std::string::npos);
    }
  }
}

}  // namespace tbci::report_owners_test
