#include "pipeline/measure/learning.hpp"

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "daemon/cli/learning_table.hpp"
#include "pipeline/measure/building.hpp"
#include "tests/catch.hpp"
#include "tests/pipeline/fake_subject.hpp"

namespace tbci::learning_scale_test {

using namespace tbci::test;

namespace {

const model::Case beta = {"beta", model::Configuration::cpu_train};
const pipeline::LearningScalePlan samples = {"samples", {1000, 4000, 16000, 64000, 256000}, 3};

// A loss that falls as a law says, and a little by the seed. From commit 3 on it is this many times as large.
FakeMachine machine_that_learns(double later) {
  FakeMachine machine(5);
  machine.training = [later](std::size_t commit, const runner::LearningPlan& plan) -> Result<runner::Learned> {
    const double loss = 3 * std::pow(plan.amount, -0.5) + 0.5;
    const double by_seed = 1 + 1e-5 * static_cast<double>(plan.seed % 3);
    return runner::Learned{.samples = plan.amount,
                           .parameters = 2 * plan.amount,
                           .operations = 10.0 * static_cast<double>(plan.amount),
                           .loss = loss * by_seed * (commit >= 3 ? later : 1),
                           .entropy = 0.5};
  };
  return machine;
}

std::vector<model::Build> both(Bench& bench, const FakeMachine& machine) {
  return {pipeline::build_commit(bench.context(), machine.history.front().id).value(),
          pipeline::build_commit(bench.context(), machine.history.back().id).value()};
}

pipeline::LearningCase learned_with(double later, const pipeline::LearningScalePlan& plan = samples) {
  const TemporaryDirectory folder;
  FakeMachine machine = machine_that_learns(later);
  Bench bench(folder.path(), machine);
  const auto scaled = pipeline::scale_learning(bench.context(), both(bench, machine), beta, plan);
  REQUIRE(scaled);
  return *scaled;
}

}  // namespace

TEST_CASE("Learning: the constant of the law is the entropy, and builds of equal losses learn the same", "[pipeline]") {
  const auto scaled = learned_with(1);
  REQUIRE(scaled.builds[1].law);
  CHECK(std::abs(scaled.builds[1].law->c.value - 0.5) < 1e-3);
  CHECK(std::abs(scaled.builds[1].law->b.value + 0.5) < 1e-2);
  CHECK(scaled.builds[1].points.front().x == 1000);
  REQUIRE(scaled.change);
  CHECK(scaled.change->same);
  const std::string text = daemon::learning_text(scaled);
  INFO(text);
  CHECK(text.find("learns the same: all losses are equal, bit for bit") != std::string::npos);
  CHECK(text.find("the entropy of the clicks is 0.5000 nats") != std::string::npos);
  CHECK(text.find("twice the samples takes away 29.3% of what is above the constant") != std::string::npos);
  const nlohmann::json json = daemon::json_of(scaled);
  CHECK(json["builds"][0]["entropy"] == 0.5);
  CHECK(json["change"]["same"] == true);
}

TEST_CASE("Learning: two builds that cannot be compared have the reason", "[pipeline]") {
  const auto one_seed = learned_with(1.5, {"samples", {1000, 4000, 16000, 64000}, 1});
  CHECK_FALSE(one_seed.change);
  CHECK(daemon::learning_text(one_seed).find("no comparison: " + one_seed.no_change) != std::string::npos);
  CHECK(daemon::json_of(one_seed)["no_change"] == one_seed.no_change);
  CHECK(learned_with(1.5).no_change.empty());
}

TEST_CASE("Learning: a build that learns worse is found, and one whose sums are in another order is not",
          "[pipeline]") {
  CHECK(daemon::learning_text(learned_with(1.005)).find("learns worse: its losses differ by +0.500%") !=
        std::string::npos);
  CHECK(daemon::json_of(learned_with(1.005))["change"]["worse"] == true);
  CHECK(daemon::learning_text(learned_with(0.995)).find("learns better") != std::string::npos);
  CHECK(daemon::learning_text(learned_with(1.0001)).find("learns as well, as far as this tells") != std::string::npos);
}

TEST_CASE("Learning: the sizes are what the worker says that the amounts came to", "[pipeline]") {
  CHECK(learned_with(1, {"parameters", samples.amounts, 2}).builds[0].points.back().x == 512000);
  CHECK(learned_with(1, {"compute", samples.amounts, 2}).builds[0].points.back().x == 2560000);
}

TEST_CASE("Learning: losses that grow or do not change, and too few of them, have no law", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeMachine machine = machine_that_learns(1);
  std::string words = "no law: the values grow with the size";
  SECTION("grow") {
    machine.training = [](std::size_t, const runner::LearningPlan& plan) -> Result<runner::Learned> {
      return runner::Learned{plan.amount, 1, 1, 0.4 * std::pow(plan.amount, 0.05), 0.5};
    };
  }
  SECTION("do not change") {
    words = "no law: the values do not change";
    machine.training = [](std::size_t, const runner::LearningPlan& plan) -> Result<runner::Learned> {
      return runner::Learned{plan.amount, 1, 1, 0.5, 0.5};
    };
  }
  SECTION("are too far from their constant") {
    words = "no law: its constant may be 0 or less";
    machine.training = [](std::size_t, const runner::LearningPlan& plan) -> Result<runner::Learned> {
      const std::map<std::int64_t, double> losses = {
          {1000, 0.62953}, {4000, 0.62157}, {16000, 0.60579}, {64000, 0.58429}, {256000, 0.55}};
      return runner::Learned{plan.amount, 1, 1, losses.at(plan.amount), 0.5};
    };
  }
  SECTION("too few") {
    words = "no law: 3 sizes are too few";
    machine.training = [](std::size_t, const runner::LearningPlan& plan) -> Result<runner::Learned> {
      if (plan.amount > 20000) return fail(ErrorKind::failed, "out_of_memory: of the host");
      return runner::Learned{plan.amount, 1, 1, 0.5 + 3 * std::pow(plan.amount, -0.5), 0.5};
    };
  }
  Bench bench(folder.path(), machine);
  const auto scaled = pipeline::scale_learning(bench.context(), {both(bench, machine).back()}, beta, samples);
  REQUIRE(scaled);
  CHECK_FALSE(scaled->builds[0].law);
  const std::string text = daemon::learning_text(*scaled);
  INFO(text);
  CHECK(text.find(words) != std::string::npos);
  CHECK(text.find("entropy of the clicks") == std::string::npos);
  CHECK(scaled->missing.empty() == (words.find("few") == std::string::npos));
  CHECK((text.find("samples 64000: out_of_memory") == std::string::npos) == scaled->missing.empty());
}

TEST_CASE("Learning: a worker that cannot learn costs all sizes and no more", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeMachine machine(5);
  machine.training = [](std::size_t, const runner::LearningPlan&) -> Result<runner::Learned> {
    return fail(ErrorKind::failed, "exit code 2: unknown command 'learn'");
  };
  Bench bench(folder.path(), machine);
  const auto scaled = pipeline::scale_learning(bench.context(), both(bench, machine), beta, samples);
  REQUIRE(scaled);
  CHECK(scaled->missing.size() == 5);
  CHECK_FALSE(scaled->change);
  CHECK(daemon::learning_text(*scaled).find("unknown command 'learn'") != std::string::npos);
  CHECK(daemon::json_of(*scaled)["builds"][0]["no_law"].get<std::string>().find("too few") != std::string::npos);
}

}  // namespace tbci::learning_scale_test
