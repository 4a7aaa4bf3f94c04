#include "pipeline/measure/profiling.hpp"

#include <algorithm>

#include "daemon/cli/operator_table.hpp"
#include "pipeline/measure/building.hpp"
#include "tests/catch.hpp"
#include "tests/pipeline/fake_subject.hpp"

#include <nlohmann/json.hpp>

namespace tbci::profiling_test {

using namespace tbci::test;

namespace {

const model::Case beta = {"beta", model::Configuration::cpu_infer};

std::vector<std::string> profiles_in(const FakeMachine& machine) {
  std::vector<std::string> profiles;
  for (const std::string& effect : machine.effects) {
    if (effect.rfind("profile ", 0) == 0) profiles.push_back(effect);
  }
  return profiles;
}

pipeline::Comparison first_and_last(Bench& bench, const FakeMachine& machine) {
  return {pipeline::build_commit(bench.context(), machine.history.front().id).value(),
          pipeline::build_commit(bench.context(), machine.history.back().id).value()};
}

}  // namespace

TEST_CASE("Profiling: two builds are profiled in turn, and what is stored is not profiled again", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeMachine machine(5);
  machine.slower["beta"] = {{2, 1.2}};
  {
    Bench bench(folder.path(), machine);
    const auto compared = pipeline::compare_operators(bench.context(), first_and_last(bench, machine), beta);
    REQUIRE(compared);
    REQUIRE(compared->changed.size() == 1);
    CHECK(compared->changed[0].name == "aten.mm.default");
    CHECK(compared->changed[0].difference() == std::chrono::milliseconds(2));
    CHECK(compared->processes == 5);
  }
  const auto profiles = profiles_in(machine);
  REQUIRE(profiles.size() == 10);
  CHECK(profiles[0] == "profile " + machine.history.front().id + " beta/cpu-infer");
  CHECK(profiles[1] == "profile " + machine.history.back().id + " beta/cpu-infer");
  CHECK(profiles[2] == profiles[0]);
  Bench bench(folder.path(), machine);
  REQUIRE(pipeline::compare_operators(bench.context(), first_and_last(bench, machine), beta));
  CHECK(profiles_in(machine).size() == 10);
  // Numbers of another machine are not mixed with these.
  machine.facts["kernel"] = "another";
  REQUIRE(pipeline::compare_operators(bench.context(), first_and_last(bench, machine), beta));
  CHECK(profiles_in(machine).size() == 20);
}

TEST_CASE("Profiling: where the spread of the processes hides the operator, more of them are profiled", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeMachine machine(5);
  const auto compared_with = [&](double slower, std::vector<double> noise) {
    machine.slower["beta"] = {{2, slower}};
    machine.profile_noise = std::move(noise);
    machine.facts["kernel"] = fmt::format("{}", machine.effects.size());  // nothing is stored of such a machine
    Bench bench(folder.path(), machine);
    return pipeline::compare_operators(bench.context(), first_and_last(bench, machine), beta).value();
  };
  // Both builds of a pair are slowed alike, and one pair differs from the next.
  const auto shown_late = compared_with(1.2, {1, 1, 1.1, 1.1, 0.9, 0.9});
  CHECK(shown_late.processes > 5);
  CHECK(shown_late.processes <= 10);
  REQUIRE(shown_late.changed.size() == 1);
  CHECK(shown_late.changed[0].name == "aten.mm.default");
  const auto never_shown = compared_with(1.2, {1, 1, 1.4, 1.4, 0.6, 0.6});
  CHECK(never_shown.processes == 15);
  CHECK(never_shown.changed.empty());
  CHECK(compared_with(1, {1, 1, 1.4, 1.4, 0.6, 0.6}).processes == 5);  // nothing to explain
}

TEST_CASE("Operators: the table and the JSON say what changed", "[cli]") {
  using std::chrono::milliseconds;
  model::OperatorComparison compared;
  compared.measured = beta;
  compared.processes = 5;
  compared.before = milliseconds(10);
  compared.after = milliseconds(12);
  compared.changed = {{"aten.mm.default", milliseconds(6), milliseconds(9), 12, 24},
                      {"aten.relu_\x1b[31m\xff", milliseconds(3), milliseconds(2), 4, 4}};
  const std::string text = daemon::text_of(compared);
  CHECK(text.find("beta/cpu-infer: 10 ms -> 12 ms an iteration (+20.0%) in 5 profiled processes each") !=
        std::string::npos);
  CHECK(text.find("+3 ms") != std::string::npos);
  CHECK(text.find("+30.0%") != std::string::npos);
  CHECK(text.find("-1 ms") != std::string::npos);
  CHECK(text.find('\x1b') == std::string::npos);
  const nlohmann::json json = daemon::json_of(compared);
  CHECK(json["operators"][0]["name"] == "aten.mm.default");
  CHECK(json["operators"][0]["after_nanoseconds"] == 9000000);
  CHECK(json["operators"][0]["calls_before"] == 12);
  CHECK_FALSE(json.dump().empty());  // which throws on what is not UTF-8
  compared.changed.clear();
  CHECK(daemon::text_of(compared).find("no operator changed") != std::string::npos);
}

}  // namespace tbci::profiling_test
