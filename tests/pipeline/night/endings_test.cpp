// What ended a regression: the night, the commit, and that the report says so.
#include "pipeline/night/endings.hpp"

#include "pipeline/night/improvements.hpp"
#include "pipeline/night/regression_decisions.hpp"
#include "tests/catch.hpp"
#include "tests/pipeline/nights.hpp"

namespace tbci::endings_test {

using namespace tbci::test;
using model::Standing;

namespace {

constexpr std::size_t culprit = 6 * commits_a_day - 1;  // of night 6
constexpr std::size_t repair = 9 * commits_a_day - 1;   // of night 9
constexpr int told =
    6;  // the revision of night 11: the first is of night 6, and each night after it says what it measured

/// beta is slower from night 6 on, and as before from night 9 on.
struct RepairedNights : Nights {
  RepairedNights() : Nights(18) { machine.slower["beta"] = {{culprit, 1.25}, {repair, 1 / 1.25}}; }

  model::Regression regression() {
    const auto all = bench->stores().nights.latest_regressions("fake", 10).value();
    REQUIRE(all.size() == 1);
    return all.front();
  }
  model::Report report() {
    const auto all = bench->stores().reports.list("fake", 5).value();
    REQUIRE(all.size() == 1);
    return all.front();
  }
  model::Ending ending() {
    const auto found = bench->stores().improvements.ending_of(regression().id).value();
    REQUIRE(found);
    return *found;
  }
  std::string night_of(std::int64_t id) { return bench->stores().nights.get(id).value().name; }
};

}  // namespace

TEST_CASE("Endings: the first night without the regression is named, and the report says so", "[endings]") {
  RepairedNights nights;
  nights.check_all(1, 10);
  CHECK_FALSE(nights.bench->stores().improvements.ending_of(nights.regression().id).value());
  nights.check(11);
  REQUIRE(nights.regression().standing == Standing::recovered);
  CHECK(nights.night_of(nights.ending().night_id) == nights.machine.name_of(9));
  CHECK(nights.night_of(nights.ending().since_id) == nights.machine.name_of(8));
  CHECK(nights.ending().told);
  CHECK(nights.ending().revert_commit.empty());
  CHECK_FALSE(nights.ending().improvement_id);
  CHECK(nights.report().revision == told);
  CHECK(nights.report().body.starts_with("### Recovered\n\n- beta (cpu-infer), time: gone since nightly `" +
                                         nights.machine.name_of(9) + "`\n"));
  CHECK(nights.bench->stores().reports.due(TimePoint::max()).value().size() == 1);
  nights.check_all(12, 14);
  CHECK(nights.report().revision == told);
}

TEST_CASE("Endings: a commit that says that it reverts the culprit is named", "[endings]") {
  RepairedNights nights;
  nights.machine.reverts[repair] = nights.commit(culprit).substr(0, 10);
  nights.machine.reverts[repair - 1] = nights.commit(culprit - 1);  // of something else
  nights.check_all(1, 11);
  CHECK(nights.ending().revert_commit == nights.commit(repair));
  CHECK(nights.report().body.find("gone since nightly `" + nights.machine.name_of(9) + "`; commit `" +
                                  nights.commit(repair).substr(0, 10) + "`") != std::string::npos);
  CHECK(nights.report().body.find("reverts the culprit") != std::string::npos);
}

TEST_CASE("Endings: a revert of another day is not what ended it", "[endings]") {
  RepairedNights nights;
  nights.machine.reverts[repair + 2] = nights.commit(culprit);
  nights.check_all(1, 11);
  CHECK(nights.ending().revert_commit.empty());
}

TEST_CASE("Endings: an improvement that was attributed names the commit", "[endings]") {
  RepairedNights nights;
  nights.bench->config().detect.improvements = true;
  nights.machine.reverts[repair] = nights.commit(culprit);
  for (std::size_t day = 1; day <= 11; ++day) {
    nights.check(day);
    REQUIRE(pipeline::search_waiting_improvements(nights.bench->context()));
  }
  const auto id = nights.ending().improvement_id;
  REQUIRE(id);
  const auto improvement = nights.bench->stores().improvements.get(*id).value();
  CHECK(improvement.suspects == std::vector{nights.commit(repair)});
  CHECK(nights.report().revision == told);
  CHECK(nights.report().body.find("by commit `" + nights.commit(repair).substr(0, 10) + "`") != std::string::npos);
  CHECK(nights.report().body.find("which says that it reverts the culprit") != std::string::npos);
}

TEST_CASE("Endings: where the improvement is attributed after the recovery, the report is revised once more",
          "[endings]") {
  RepairedNights nights;
  nights.bench->config().detect.improvements = true;
  nights.check_all(1, 11);
  REQUIRE(nights.ending().improvement_id);
  CHECK(nights.report().revision == told);
  CHECK(nights.report().body.find("by commit") == std::string::npos);
  REQUIRE(pipeline::search_waiting_improvements(nights.bench->context()));
  CHECK(nights.report().revision == told + 1);
  CHECK(nights.report().body.find("by commit `" + nights.commit(repair).substr(0, 10) + "`") != std::string::npos);
}

TEST_CASE("Endings: a repository that cannot be reached is asked again, and costs no ending", "[endings]") {
  RepairedNights nights;
  nights.machine.reverts[repair] = nights.commit(culprit);
  nights.check_all(1, 10);
  nights.machine.history_is_out = true;
  const pipeline::NightChoice choice{.nightly = nights.machine.name_of(11), .baseline = {}};
  const auto failed = pipeline::check_night(nights.bench->context(), choice);
  REQUIRE_FALSE(failed);
  CHECK(failed.error().kind == ErrorKind::transient);
  CHECK_FALSE(nights.ending().told);
  nights.machine.history_is_out = false;
  nights.check(11);
  CHECK(nights.ending().revert_commit == nights.commit(repair));
  CHECK(nights.report().revision == told);
}

TEST_CASE("Endings: a night that is given up tells what it knows without the repository", "[endings]") {
  RepairedNights nights;
  nights.check_all(1, 10);
  nights.machine.history_is_out = true;
  const pipeline::NightChoice choice{.nightly = nights.machine.name_of(11), .baseline = {}};
  REQUIRE_FALSE(pipeline::check_night(nights.bench->context(), choice));
  const auto night = nights.bench->stores().nights.find("fake", choice.nightly).value();
  REQUIRE(pipeline::give_up_night(nights.bench->context(), *night, "no network"));
  CHECK(nights.bench->stores().nights.get(night->id).value().stage == model::Stage::done);
  CHECK(nights.ending().told);
  CHECK(nights.report().body.starts_with("### Recovered\n"));
}

TEST_CASE("Endings: a regression that is opened again has no end, and may get another", "[endings]") {
  RepairedNights nights;
  nights.check_all(1, 11);
  const auto id = nights.regression().id;
  REQUIRE(pipeline::reopen_regression(nights.bench->stores(), id,
                                      {.person = "ada", .reason = "why", .now = nights.bench->clock().now()}));
  const auto with = pipeline::with_endings(nights.bench->context(), nights.report(), {nights.regression()});
  REQUIRE(with);
  CHECK_FALSE(with->body.starts_with("### Recovered"));
  nights.check_all(12, 14);
  CHECK(nights.regression().standing == Standing::recovered);
  CHECK(nights.night_of(nights.ending().night_id) == nights.machine.name_of(12));
}

}  // namespace tbci::endings_test
