#include "detect/operators.hpp"

#include <cmath>
#include <random>
#include <vector>

#include "tests/catch.hpp"

namespace tbci::operators_test {

using std::chrono::microseconds;

namespace {

using Operators = std::vector<model::OperatorTime>;

model::OperatorProfile profile(Operators operators, microseconds iteration, microseconds outside = {}) {
  model::OperatorProfile made;
  made.measured = {"dlrm", model::Configuration::cpu_infer};
  made.iterations = 10;
  made.iteration = iteration;
  made.outside = outside;
  made.operators = std::move(operators);
  return made;
}

// Five processes: the self time of `mm` as given, the rest the same in each.
std::vector<model::OperatorProfile> processes(const std::vector<int>& mm, std::int64_t calls = 3) {
  std::vector<model::OperatorProfile> all;
  for (const int self : mm) {
    all.push_back(profile({{"mm", calls, microseconds(self)}, {"relu", 1, microseconds(200)}}, microseconds(self + 300),
                          microseconds(100)));
  }
  return all;
}

}  // namespace

TEST_CASE("Operators: the one that got slower is named, with its calls and its time on both sides", "[detect]") {
  const auto compared =
      detect::compare_operators(processes({700, 705, 695, 702, 698}), processes({900, 905, 1400, 902, 898}, 6));
  CHECK(compared.measured.benchmark == "dlrm");
  CHECK(compared.processes == 5);
  CHECK(compared.before == microseconds(1000));
  CHECK(compared.after == microseconds(1202));
  REQUIRE(compared.changed.size() == 1);
  CHECK(compared.changed[0].name == "mm");
  CHECK(compared.changed[0].before == microseconds(700));
  CHECK(compared.changed[0].after == microseconds(902));
  CHECK(compared.changed[0].difference() == microseconds(202));
  CHECK(compared.changed[0].calls_before == 3);
  CHECK(compared.changed[0].calls_after == 6);
}

TEST_CASE("Operators: a difference within the spread of the processes is not reported", "[detect]") {
  CHECK(detect::compare_operators(processes({600, 800, 700, 650, 750}), processes({700, 900, 800, 750, 850}))
            .changed.empty());
  // One wild process on each side is not a spread.
  CHECK(detect::compare_operators(processes({700, 702, 1500, 698, 701}), processes({800, 802, 798, 300, 801}))
            .changed.size() == 1);
}

TEST_CASE("Operators: a difference too small for the iteration is not reported, however certain", "[detect]") {
  const auto before = processes({700, 700, 700, 700, 700});
  CHECK(detect::compare_operators(before, processes({709, 709, 709, 709, 709})).changed.empty());
  detect::OperatorThresholds sharp;
  sharp.least_share = 0.005;
  sharp.scale_floor = 0;
  CHECK(detect::compare_operators(before, processes({709, 709, 709, 709, 709}), sharp).changed.size() == 1);
  // Equal values are not perfect knowledge: the floor keeps 1% of 700 from being certain.
  sharp.scale_floor = 0.01;
  CHECK(detect::compare_operators(before, processes({709, 709, 709, 709, 709}), sharp).changed.empty());
}

TEST_CASE("Operators: new ones, lost ones and quicker ones count, the largest difference first", "[detect]") {
  std::vector<model::OperatorProfile> before, after;
  for (int process = 0; process < 3; ++process) {
    before.push_back(profile({{"lost", 2, microseconds(100)}, {"quicker", 1, microseconds(500)}}, microseconds(700),
                             microseconds(100)));
    after.push_back(profile({{"new", 4, microseconds(150)}, {"quicker", 1, microseconds(300)}}, microseconds(520),
                            microseconds(70)));
  }
  const auto compared = detect::compare_operators(before, after);
  REQUIRE(compared.changed.size() == 4);
  CHECK(compared.changed[0].name == "quicker");
  CHECK(compared.changed[0].difference() == microseconds(-200));
  CHECK(compared.changed[1].name == "new");
  CHECK(compared.changed[1].before == microseconds(0));
  CHECK(compared.changed[1].calls_before == 0);
  CHECK(compared.changed[2].name == "lost");
  CHECK(compared.changed[2].after == microseconds(0));
  CHECK(compared.changed[3].name == model::in_no_operator);
  CHECK(compared.changed[3].difference() == microseconds(-30));
}

TEST_CASE("Operators: half of a difference that matters is explained, or more processes are needed", "[detect]") {
  model::OperatorComparison compared;
  compared.before = microseconds(1000);
  compared.after = microseconds(1100);
  CHECK_FALSE(detect::explains_difference(compared));
  compared.changed = {{"mm", microseconds(400), microseconds(449), 1, 1}};
  CHECK_FALSE(detect::explains_difference(compared));
  compared.changed.push_back({"relu", microseconds(10), microseconds(11), 1, 1});
  CHECK(detect::explains_difference(compared));
  compared.changed.push_back(
      {"sort", microseconds(100), microseconds(98), 1, 1});  // one that got quicker explains less
  CHECK_FALSE(detect::explains_difference(compared));
  compared.after = microseconds(1049);
  CHECK(detect::explains_difference(compared));  // too small to look for
  // What got quicker is explained by what got quicker.
  compared.after = microseconds(900);
  CHECK_FALSE(detect::explains_difference(compared));
  compared.changed = {{"mm", microseconds(400), microseconds(340), 1, 1}};
  CHECK(detect::explains_difference(compared));
}

TEST_CASE("Operators: where nothing changed, noise names few", "[detect]") {
  std::mt19937 random(11);
  std::normal_distribution<double> gaussian;
  const auto noisy = [&] {
    std::vector<model::OperatorProfile> all;
    for (int process = 0; process < 5; ++process) {
      Operators operators;
      for (int i = 0; i < 10; ++i) {
        const double self = 100000 * std::exp(0.05 * gaussian(random));
        operators.push_back({fmt::format("operator {}", i), 1, std::chrono::nanoseconds(std::llround(self))});
      }
      all.push_back(profile(std::move(operators), microseconds(1000)));
    }
    return all;
  };
  // 500 pairs of builds that do not differ, ten operators each with 5% of noise.
  std::size_t named = 0;
  for (int round = 0; round < 500; ++round) named += detect::compare_operators(noisy(), noisy()).changed.size();
  INFO(named << " of 5000");
  CHECK(named < 100);  // 2%
}

}  // namespace tbci::operators_test
