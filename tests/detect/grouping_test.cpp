#include "detect/grouping.hpp"

#include <cmath>
#include <limits>
#include <numeric>

#include "tests/catch.hpp"

namespace tbci::grouping_test {

using namespace tbci::detect;
using model::Metric;
using model::Verdict;

namespace {

Moved moved(const std::string& benchmark, double change, std::set<std::string> signature = {},
            Metric metric = Metric::time) {
  Moved one;
  one.finding.series = {benchmark, model::Configuration::cpu_train, metric};
  one.finding.verdict = change > 0 ? Verdict::regression : Verdict::improvement;
  one.finding.change = change;
  one.from = "2026-01-06";
  one.to = "2026-01-07";
  one.signature = std::move(signature);
  return one;
}

using Members = std::vector<std::size_t>;

}  // namespace

TEST_CASE("Grouping: what became slower between the same builds is one event, the worst first", "[detect]") {
  const auto events = group_changes(std::vector{moved("a", .10), moved("b", .30), moved("c", .12)});
  REQUIRE(events.size() == 1);
  CHECK(events[0].direction == Verdict::regression);
  CHECK(events[0].from == "2026-01-06");
  CHECK(events[0].to == "2026-01-07");
  CHECK(events[0].members == Members{1, 2, 0});
  REQUIRE(events[0].effects.size() == 1);
  CHECK(events[0].effects[0].series == 3);
  CHECK(events[0].effects[0].worst == 1);
  CHECK(events[0].effects[0].typical == .12);
}

TEST_CASE("Grouping: of changes from nothing the larger growth is the worse one", "[detect]") {
  auto small = moved("a", HUGE_VAL, {}, Metric::cpu_leak);
  auto large = moved("b", HUGE_VAL, {}, Metric::gpu_leak);
  small.finding.after = 13722;
  large.finding.after = 6291456;
  CHECK(group_changes(std::vector{small, large}).at(0).members == Members{1, 0});
}

TEST_CASE("Grouping: another direction or another pair of builds is another event", "[detect]") {
  auto later = moved("c", .5);
  later.from = "2026-01-07";
  later.to = "2026-01-08";
  auto skipped = moved("d", .09);
  skipped.from = "2026-01-05";
  const auto events = group_changes(std::vector{moved("a", .1), moved("b", -.9), later, skipped, moved("e", .2)});
  REQUIRE(events.size() == 4);
  CHECK(events[0].members == Members{2});
  CHECK(events[1].members == Members{4, 0});
  CHECK(events[2].members == Members{3});
  CHECK(events[3].direction == Verdict::improvement);  // behind the regressions, however large
}

TEST_CASE("Grouping: series whose operators have nothing in common are different events", "[detect]") {
  const auto events =
      group_changes(std::vector{moved("a", .1, {"aten::addmm"}), moved("b", .2, {"aten::embedding_bag"}),
                                moved("c", .3, {"aten::addmm", "aten::relu"}), moved("d", .15, {"aten::relu"})});
  REQUIRE(events.size() == 2);
  CHECK(events[0].members == Members{2, 3, 0});  // a and d through c
  CHECK(events[0].signature == std::vector<std::string>{"aten::addmm", "aten::relu"});
  CHECK(events[1].members == Members{1});
}

TEST_CASE("Grouping: a series of which nothing is known joins the only event there is, else those like it",
          "[detect]") {
  const auto joined = group_changes(std::vector{moved("a", .1, {"aten::addmm"}), moved("b", .2)});
  REQUIRE(joined.size() == 1);
  CHECK(joined[0].members == Members{1, 0});
  CHECK(joined[0].signature == std::vector<std::string>{"aten::addmm"});
  const auto apart = group_changes(
      std::vector{moved("a", .1, {"aten::addmm"}), moved("b", .2, {"aten::relu"}), moved("c", .3), moved("d", .4)});
  REQUIRE(apart.size() == 3);
  CHECK(apart[0].members == Members{3, 2});
}

TEST_CASE("Grouping: the signature of an event is what most of its series share", "[detect]") {
  const auto events = group_changes(
      std::vector{moved("a", .1, {"x", "y"}), moved("b", .1, {"x", "z"}), moved("c", .1, {"x", "z"}), moved("d", .1)});
  REQUIRE(events.size() == 1);
  CHECK(events[0].signature == std::vector<std::string>{"x", "z"});
}

TEST_CASE("Grouping: each metric has its own worst and typical effect", "[detect]") {
  const double infinite = std::numeric_limits<double>::infinity();
  const auto events = group_changes(std::vector{moved("a", .1), moved("a", 2.0, {}, Metric::cpu_memory), moved("b", .2),
                                                moved("c", infinite, {}, Metric::cpu_leak), moved("c", .3)});
  REQUIRE(events.size() == 1);
  CHECK(events[0].members.front() == 3);
  REQUIRE(events[0].effects.size() == 3);
  CHECK(events[0].effects[0].metric == Metric::time);
  CHECK(events[0].effects[0].worst == 4);
  CHECK(events[0].effects[0].typical == .2);
  CHECK(events[0].effects[1].worst == 1);
  CHECK(std::isinf(events[0].effects[2].typical));
}

TEST_CASE("Grouping: everything stands in exactly one event, and a change that is not a number breaks nothing",
          "[detect]") {
  std::vector<Moved> many;
  for (int i = 0; i < 500; ++i) {
    std::set<std::string> signature;
    if (i % 3 != 0) signature = {"op" + std::to_string(i % 7), "op" + std::to_string(i % 5 + 7)};
    many.push_back(moved(std::to_string(i), (i % 2 == 0 ? 1 : -1) * (0.1 + i * 1e-3), signature));
    many.back().to = std::to_string(i % 4);
  }
  many[10].finding.change = std::numeric_limits<double>::quiet_NaN();
  Members seen;
  for (const ChangeEvent& event : group_changes(many)) {
    for (const std::size_t member : event.members) {
      CHECK(many[member].finding.verdict == event.direction);
      CHECK(many[member].to == event.to);
      seen.push_back(member);
    }
  }
  std::sort(seen.begin(), seen.end());
  Members all(many.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  CHECK(seen == all);
  CHECK(group_changes({}).empty());
}

}  // namespace tbci::grouping_test
