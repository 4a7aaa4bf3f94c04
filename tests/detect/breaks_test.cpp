#include "detect/breaks.hpp"

#include <cmath>
#include <vector>

#include "tests/catch.hpp"

namespace tbci::breaks_test {

using detect::Trials;
using model::Verdict;

TEST_CASE("Breaks: the probability of some failures is that of the beta-binomial, exactly", "[breaks]") {
  // Uniform share: 2 failures of 3 in a given order have 2! 1! / 4!.
  CHECK(std::exp(detect::log_probability({3, 2}, {1, 1})) == test::Approx(2.0 / 24));
  // Beta(1, 1/4): each further failure has (1 + i) / (5/4 + i).
  const double three_fail = 1 / 1.25 * (2 / 2.25) * (3 / 3.25);
  CHECK(std::exp(detect::log_probability({3, 3}, detect::share_if_broken)) == test::Approx(three_fail));
  // Beta(1/2, 20): three that run, then three that fail.
  const double three_run = 20 / 20.5 * (21 / 21.5) * (22 / 22.5);
  CHECK(std::exp(detect::log_probability({3, 0}, detect::share_if_working)) == test::Approx(three_run));
  CHECK(detect::log_probability({}, detect::share_if_broken) == test::Approx(0));
}

TEST_CASE("Breaks: three failures beside three that ran are a break, by their exact odds", "[breaks]") {
  const double broke = 20 / 20.5 * (21 / 21.5) * (22 / 22.5) * (1 / 1.25) * (2 / 2.25) * (3 / 3.25);
  const double both_work = 20 / 20.5 * (21 / 21.5) * (22 / 22.5) * (0.5 / 23.5) * (1.5 / 24.5) * (2.5 / 25.5);
  const double both_broken = 1 / 1.25 * (2 / 2.25) * (3 / 3.25) * (0.25 / 4.25) * (1.25 / 5.25) * (2.25 / 6.25);
  const double odds = broke / ((both_work + both_broken) / 2);
  CHECK(std::exp(detect::log_odds_of_break({3, 0}, {3, 3})) == test::Approx(odds));
  CHECK(odds == test::Approx(357).margin(1));
  CHECK(detect::confirm_break({3, 0}, {3, 3}) == Verdict::regression);
  CHECK(detect::confirm_break({2, 0}, {2, 2}) == Verdict::suspect);
}

TEST_CASE("Breaks: one has ended after as many processes as would hide it in one of a thousand cases", "[breaks]") {
  CHECK(detect::processes_until_over(0.5) == 10);  // 2^-10 < 0.001 < 2^-9
  CHECK(detect::processes_until_over(0.9) == 3);   // 0.1^3 is 0.001
  CHECK(detect::processes_until_over(0.05) == 135);
  CHECK(detect::processes_until_over(1) == 1);
  CHECK(detect::processes_until_over(0) == 1000);
}

TEST_CASE("Breaks: what failed in all of eight processes does not hide in three, what fails in a fifth may",
          "[breaks]") {
  // The product of (s + i) / (a + s + i), where a - 1 failed and s - 0.25 did not.
  CHECK(detect::chance_to_hide({8, 8}, 3) == Approx(0.0006591957811470007));
  CHECK(detect::chance_to_hide({40, 8}, 20) == Approx(0.018916250381378126));
  CHECK(detect::chance_to_hide({0, 0}, 5) == Approx(1 / 21.0));
  CHECK(detect::chance_to_hide({8, 8}, 0) == 1);
}

TEST_CASE("Breaks: where the old build fails as well nothing broke", "[breaks]") {
  CHECK(detect::confirm_break({3, 3}, {3, 3}) == Verdict::clear);
  CHECK(detect::confirm_break({10, 3}, {10, 3}) != Verdict::regression);
}

TEST_CASE("Breaks: a crash of the old build by chance, in the first pair, hides no break", "[breaks]") {
  CHECK(detect::confirm_break({1, 1}, {1, 1}) == Verdict::suspect);
  Trials before{1, 1}, after{1, 1};
  while (detect::confirm_break(before, after) == Verdict::suspect) {
    ++before.processes;
    after = after + Trials{1, 1};
  }
  CHECK(detect::confirm_break(before, after) == Verdict::regression);
  CHECK(after.processes == 6);  // the odds, by the formula of the header, are 96 after five pairs and 402 after six
}

TEST_CASE("Breaks: one crash by chance among those that run is not a break, and what runs on is clear", "[breaks]") {
  Trials before, after;
  Verdict verdict = Verdict::suspect;
  while (verdict == Verdict::suspect) {
    ++before.processes;
    ++after.processes;
    if (after.processes == 1) after.failures = 1;
    verdict = detect::confirm_break(before, after);
  }
  CHECK(verdict == Verdict::clear);
  CHECK(after.processes < 40);
}

TEST_CASE("Breaks: a third of the processes that fail are a break, after more pairs", "[breaks]") {
  Trials before, after;
  Verdict verdict = Verdict::suspect;
  while (verdict == Verdict::suspect) {
    ++before.processes;
    ++after.processes;
    after.failures += after.processes % 3 == 1 ? 1 : 0;
    verdict = detect::confirm_break(before, after);
  }
  CHECK(verdict == Verdict::regression);
  CHECK(after.processes > 6);
}

TEST_CASE("Breaks: a process fails where it does not end as it should, or its results are not numbers", "[breaks]") {
  model::Measurement ran, crashed, no_numbers, numbers;
  crashed.outcome = model::Outcome::crashed;
  no_numbers.finite = false;
  numbers.finite = true;
  const model::Measurement all[] = {ran, crashed, no_numbers, numbers};
  CHECK(detect::trials_of(all) == Trials{4, 2});
}

TEST_CASE("Breaks: the first broken build is looked for until the builds before have clearly worked", "[breaks]") {
  using Builds = std::vector<Trials>;
  CHECK(detect::first_broken(Builds{}) == 0);
  CHECK(detect::first_broken(Builds{{3, 0}, {3, 0}}) == 2);
  CHECK(detect::first_broken(Builds{{3, 0}, {3, 0}, {3, 3}}) == 2);
  CHECK(detect::first_broken(Builds{{3, 0}, {3, 0}, {3, 1}, {3, 2}, {3, 3}}) == 2);
  // Three that run, between two nights that fail: 12 to 1 that this one works is not enough.
  const double runs_broken = 0.25 / 1.25 * (1.25 / 2.25) * (2.25 / 3.25);
  const double runs_working = 20 / 20.5 * (21 / 21.5) * (22 / 22.5);
  CHECK(runs_working / runs_broken == test::Approx(12.1).margin(0.1));
  CHECK(detect::first_broken(Builds{{3, 0}, {3, 0}, {3, 2}, {3, 0}, {3, 2}}) == 2);
  // Twice that: what failed before is another break.
  CHECK(detect::first_broken(Builds{{3, 0}, {3, 3}, {3, 0}, {3, 0}, {3, 2}}) == 4);
  // A build that never worked.
  CHECK(detect::first_broken(Builds{{3, 3}, {3, 3}}) == 0);
}

TEST_CASE("Breaks: the interval of the share holds it, and narrows with more processes", "[breaks]") {
  const auto few = detect::interval_of_share({3, 3}), many = detect::interval_of_share({30, 30});
  CHECK(few.high > 0.999);
  CHECK(few.low < many.low);
  // Beta(4, 1/4): the lower end is its 2.5% quantile, whose distribution function there is 0.025.
  CHECK(few.low == test::Approx(0.6).margin(0.1));
  const auto flaky = detect::interval_of_share({30, 9});
  CHECK(flaky.low < 0.3);
  CHECK(flaky.high > 0.3);
}

}  // namespace tbci::breaks_test
