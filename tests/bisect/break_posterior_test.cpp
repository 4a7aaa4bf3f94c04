#include "bisect/break_posterior.hpp"

#include <cmath>
#include <vector>

#include "tests/catch.hpp"

namespace tbci::break_posterior_test {

using bisect::ClassState;
using bisect::NextAction;

namespace {

const std::vector<double> even(5, 1.0);

bisect::BreakState state_of(const bisect::TrialsByClass& trials, std::size_t classes) {
  bisect::BreakState state{.trials = trials,
                           .states = std::vector<ClassState>(classes, ClassState::untried),
                           .weights = std::vector<double>(classes, 1.0)};
  for (const auto& [at, of_class] : trials) state.states[at] = ClassState::measured;
  return state;
}

}  // namespace

TEST_CASE("Break posterior: it is the product of prior and beta-binomials, exactly", "[breaks]") {
  // Classes 0 to 4; class 0 ran once, class 2 failed once, class 4 failed once.
  const bisect::TrialsByClass trials = {{0, {1, 0}}, {2, {1, 1}}, {4, {1, 1}}};
  const double runs = 20 / 20.5;                              // of a build that works
  const double until_2 = runs * (1 / 1.25) * (2 / 2.25);      // it broke at 1 or 2
  const double until_4 = runs * (0.5 / 21.5) * (1 / 1.25);    // it broke at 3 or 4
  const double working = runs * (0.5 / 21.5) * (1.5 / 22.5);  // it never did
  const double broken = (0.25 / 1.25) * (1 / 2.25) * (2 / 3.25);
  const double sum = 0.8 * (until_2 + until_4) / 2 + 0.1 * (working + broken);
  const auto posterior = bisect::posterior_of_break(trials, even);
  CHECK(posterior.at[0] == 0);
  CHECK(posterior.at[1] == test::Approx(0.2 * until_2 / sum));
  CHECK(posterior.at[2] == test::Approx(0.2 * until_2 / sum));
  CHECK(posterior.at[3] == test::Approx(0.2 * until_4 / sum));
  CHECK(posterior.at[4] == test::Approx(0.2 * until_4 / sum));
  CHECK(posterior.none == test::Approx(0.1 * (working + broken) / sum));
  CHECK(posterior.between(0, 2) == test::Approx(0.4 * until_2 / sum));
}

TEST_CASE("Break posterior: a prior moves the probability within a bracket, and not beyond it", "[breaks]") {
  const bisect::TrialsByClass trials = {{0, {5, 0}}, {4, {5, 5}}};
  const std::vector<double> weights = {1, 1, 6, 1, 1};
  const auto posterior = bisect::posterior_of_break(trials, weights);
  CHECK(posterior.at[2] / posterior.at[1] == test::Approx(6));
  CHECK(posterior.at[1] + posterior.at[2] + posterior.at[3] + posterior.at[4] + posterior.none == test::Approx(1));
}

TEST_CASE("Break posterior: both ends are tried three times before anything is built", "[breaks]") {
  const bisect::Certainty certainty;
  auto action = bisect::next_break_action(state_of({{0, {0, 0}}, {8, {0, 0}}}, 9), certainty);
  CHECK(action.kind == NextAction::Kind::measure);
  CHECK(action.at == 8);
  action = bisect::next_break_action(state_of({{0, {2, 0}}, {8, {3, 3}}}, 9), certainty);
  CHECK(action.kind == NextAction::Kind::measure);
  CHECK(action.at == 0);
  action = bisect::next_break_action(state_of({{0, {3, 0}}, {8, {3, 3}}}, 9), certainty);
  CHECK(action.kind == NextAction::Kind::split);
  REQUIRE(action.brackets.size() == 1);
  CHECK(action.brackets[0].good == 0);
  CHECK(action.brackets[0].bad == 8);
}

TEST_CASE("Break posterior: ends that fail alike have no break between them", "[breaks]") {
  for (const int failures : {0, 40}) {
    const auto action = bisect::next_break_action(state_of({{0, {40, failures}}, {8, {40, failures}}}, 9), {});
    CHECK(action.kind == NextAction::Kind::done);
    CHECK(action.brackets.empty());
  }
}

TEST_CASE("Break posterior: one crash of a commit is tried again before it is believed", "[breaks]") {
  const auto action = bisect::next_break_action(state_of({{0, {4, 0}}, {4, {1, 1}}, {8, {4, 4}}}, 9), {});
  CHECK(action.kind == NextAction::Kind::measure);
  CHECK(action.at == 4);
}

TEST_CASE("Break posterior: where a broken build fails now and then, its good side is tried more often", "[breaks]") {
  // One in three fails: five that ran say little.
  const auto flaky = bisect::next_break_action(state_of({{0, {12, 0}}, {4, {5, 0}}, {8, {12, 4}}}, 9), {});
  CHECK(flaky.kind == NextAction::Kind::measure);
  CHECK(flaky.at == 4);
  const auto sure = bisect::next_break_action(state_of({{0, {12, 0}}, {4, {5, 0}}, {8, {12, 12}}}, 9), {});
  CHECK(sure.kind == NextAction::Kind::split);
  CHECK(sure.brackets.at(0).good == 4);
}

}  // namespace tbci::break_posterior_test
