// What was known of a series before a night does not count as tonight's, whatever it is compared with.
#include <utility>

#include "detect/breaks.hpp"
#include "pipeline/night/break_history.hpp"
#include "pipeline/night/regression_decisions.hpp"
#include "tests/pipeline/broken_nights.hpp"

namespace tbci::known_before_test {

using namespace tbci::test;
using model::Standing;

namespace {

constexpr std::size_t first = 6 * commits_a_day - 1, second = 7 * commits_a_day - 1;  // of nights 6 and 7

void accept(Nights& nights, const model::Regression& regression) {
  REQUIRE(pipeline::accept_regression(nights.bench->stores(), regression.id,
                                      {.person = "ada", .reason = "it is safer", .now = {}}, false));
}

/// Night 6 finds beta 25% slower. Its nightly is not available any more, so that night 7 compares with night 5.
struct NightsWithoutSixth : Nights {
  explicit NightsWithoutSixth(double later = 1) : Nights(18) {
    machine.slower["beta"] = {{first, 1.25}, {second, later}};
    check_all(1, 6);
    REQUIRE(regressions().size() == 1);
    lose(6);
    machine.before_effect = [this](const std::string& effect) -> Status {
      if (effect == "install " + machine.name_of(6)) return fail(ErrorKind::failed, "not in the index");
      return {};
    };
  }
};

}  // namespace

TEST_CASE("Known before: a suspect that waits for the next night is judged without what was found before it",
          "[nights]") {
  NightsWithoutSixth nights;
  auto& limit = nights.bench->config().measure.confirm_limit;
  const auto usual = std::exchange(limit, std::chrono::milliseconds(0));
  const auto seventh = nights.check(7);
  REQUIRE(seventh.night.baseline == nights.machine.name_of(5));
  REQUIRE(nights.waiting_after(seventh).size() == 1);
  limit = usual;
  nights.check_all(8, 10);
  CHECK(nights.regressions().size() == 1);
}

TEST_CASE("Known before: what is new has its own commit, and ends by itself", "[nights]") {
  NightsWithoutSixth nights(1.15);
  nights.machine.slower["beta"].emplace_back(10 * commits_a_day - 1, 1 / 1.15);
  const auto seventh = nights.check(7);
  REQUIRE(seventh.night.baseline == nights.machine.name_of(5));
  REQUIRE(seventh.regressions.size() == 1);
  CHECK(seventh.regressions[0].suspects == std::vector{nights.commit(second)});
  CHECK(seventh.regressions[0].finding.change < 0.2);
  nights.check_all(8, 13);
  for (const model::Regression& one : nights.regressions()) {
    const bool is_new = one.id == seventh.regressions[0].id;
    CHECK(one.standing == (is_new ? Standing::recovered : Standing::open));
  }
}

TEST_CASE("Known before: a late night does not report what a person settled on a later one", "[nights]") {
  for (const bool dismissed : {false, true}) {
    Nights nights(14);
    nights.machine.slower["beta"] = {{7 * commits_a_day - 1, 1.25}};
    nights.check_all(1, 5);
    const auto found = nights.check(8).regressions;
    REQUIRE(found.size() == 1);
    if (dismissed) {
      REQUIRE(pipeline::dismiss_regression(nights.bench->stores(), found[0].id,
                                           {.person = "ada", .reason = "noise", .now = {}}));
    } else {
      accept(nights, found[0]);
    }
    for (const std::size_t late : {std::size_t{6}, std::size_t{7}}) CHECK(nights.check(late).regressions.empty());
    CHECK(nights.regressions().size() == 1);
  }
}

TEST_CASE("Known before: the step of tonight behind a retest that ends waits where no time is left for it",
          "[nights]") {
  Nights nights(14);
  nights.check_all(1, 9);
  nights.queue_on_day_9(nights.machine.name_of(0), {{100, 106}});
  nights.machine.crashing = {{0, 1000}};
  nights.machine.slower["beta"] = {{10 * commits_a_day - 1, 1.25}};
  nights.machine.before_effect = [&](const std::string& effect) -> Status {
    if (effect.starts_with("measure " + nights.commit(0)))
      nights.bench->clock().advance(nights.bench->config().measure.confirm_limit);
    return {};
  };
  const auto late = nights.check(10);
  CHECK(late.regressions.empty());
  const auto waiting = nights.waiting_after(late);
  REQUIRE(waiting.size() == 1);
  CHECK(waiting.front().old_build != nights.machine.name_of(0));
  nights.machine.before_effect = {};
  const auto found = nights.check(11).regressions;
  REQUIRE(found.size() == 1);
  CHECK(found[0].suspects == std::vector{nights.commit(10 * commits_a_day - 1)});
}

TEST_CASE("Known before: a break is over by the processes that ran, and not by those of the last night", "[nights]") {
  BrokenNights nights(30);
  nights.machine.broken_percent = 35;
  nights.check_all(1, 12);
  std::size_t day = 13;
  std::vector<model::Regression> found;
  for (; day < 20 && found.empty(); ++day) found = nights.check(day).regressions;
  REQUIRE(found.size() == 1);
  const int needed = detect::processes_until_over(found[0].finding.low);
  REQUIRE(needed > 20);
  nights.machine.broken_percent = 0;
  int ran = 0;  // without a failure
  const auto check_quiet = [&] {
    const std::string process = "measure " + nights.commit(day * commits_a_day) + " beta/cpu-infer";
    nights.check(day++);
    ran += static_cast<int>(std::ranges::count(nights.machine.effects, process));
  };
  const storage::NightStore& stored = nights.bench->stores().nights;
  const model::Night of_break = stored.get(found[0].night_id).value();
  while (regression_of(nights, found[0].id).standing == Standing::open && day < 28) {
    CHECK(ran < needed);
    check_quiet();
    model::Night tonight;
    tonight.name = nights.machine.name_of(day);
    CHECK(pipeline::quiet_processes(nights.bench->context(), tonight, of_break, found[0].finding).value() == ran);
  }
  CHECK(ran >= needed);
  CHECK(regression_of(nights, found[0].id).standing == Standing::recovered);
}

}  // namespace tbci::known_before_test
