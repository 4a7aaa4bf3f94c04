#include "pipeline/bisect/unknown_steps.hpp"

#include "tests/catch.hpp"

namespace tbci::unknown_steps_test {

using pipeline::without_commits;

namespace {

const std::string first(40, '1'), second(40, '2'), third(40, '3');

model::FoundStep step(const std::string& commit, double change, bool repair = false) {
  return {.suspects = {commit}, .posterior = 0.99, .change = change, .low = change, .high = change, .repair = repair};
}

model::Answer three_steps() {
  return {.series = {"dlrm", model::Configuration::cpu_infer, model::Metric::time},
          .suspects = {first},
          .change = 0.2,
          .low = 0.19,
          .high = 0.21,
          .reason = "",
          .posterior = 0.99,
          .steps = {step(first, 0.2), step(second, 0.05), step(third, -0.1, true)}};
}

}  // namespace

TEST_CASE("Unknown steps: the largest step that no report names takes the place of a known one") {
  const auto answer = without_commits(three_steps(), {first});
  CHECK(answer.suspects == std::vector{second});
  CHECK(answer.change == 0.05);
  CHECK(answer.steps.size() == 2);
}

TEST_CASE("Unknown steps: where all steps are known the answer names nobody, and says why") {
  const auto answer = without_commits(three_steps(), {first, second});
  CHECK(answer.suspects.empty());
  CHECK(answer.reason.find("have their own reports") != std::string::npos);
}

TEST_CASE("Unknown steps: a break whose commit is known leaves nobody to name") {
  model::Answer broken = three_steps();
  broken.series.metric = model::Metric::outcome;
  broken.steps = {step(first, 1)};
  const auto answer = without_commits(broken, {first});
  CHECK(answer.suspects.empty());
  CHECK(answer.reason == "no new culprit: the commit that breaks this case has its own report");
}

TEST_CASE("Unknown steps: without a known one the answer stays as it is") {
  const auto answer = without_commits(three_steps(), {second});
  CHECK(answer.suspects == std::vector{first});
  CHECK(answer.steps.size() == 2);
  CHECK(without_commits(three_steps(), {}).steps.size() == 3);
}

}  // namespace tbci::unknown_steps_test
