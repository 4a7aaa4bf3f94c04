#include "pipeline/measure/scaling.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "daemon/cli/scale_table.hpp"
#include "pipeline/measure/building.hpp"
#include "tests/catch.hpp"
#include "tests/pipeline/fake_subject.hpp"

namespace tbci::scaling_test {

using namespace tbci::test;

namespace {

const model::Case beta = {"beta", model::Configuration::cpu_infer};

// From commit 3 on, each iteration costs this much more.
struct Slower {
  double call = 0, row = 1;
};

FakeMachine machine_with(Slower slower) {
  FakeMachine machine(5);
  machine.batch_time = [slower](std::size_t commit, int batch) {
    const bool later = commit >= 3;
    return (later ? slower.row : 1) * 1e6 * std::pow(batch, 0.9) + 4e6 + (later ? slower.call : 0);
  };
  return machine;
}

std::vector<model::Build> ends(Bench& bench, const FakeMachine& machine) {
  return {pipeline::build_commit(bench.context(), machine.history.front().id).value(),
          pipeline::build_commit(bench.context(), machine.history.back().id).value()};
}

std::vector<std::string> measured_by(const FakeMachine& machine) {
  std::vector<std::string> found;
  for (const std::string& effect : machine.effects) {
    if (effect.starts_with("measure ")) found.push_back(effect);
  }
  return found;
}

}  // namespace

TEST_CASE("Scaling: each batch is measured in rounds, and a build gets its law", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeMachine machine = machine_with({});
  Bench bench(folder.path(), machine);
  const auto build = ends(bench, machine).back();
  const auto scaled = pipeline::scale(bench.context(), {build}, beta, {.sizes = {8, 1, 2, 4, 16}, .processes = 2});
  REQUIRE(scaled);
  REQUIRE(scaled->builds.size() == 1);
  REQUIRE(scaled->builds[0].law);
  CHECK(std::abs(scaled->builds[0].law->b.value - 0.9) < 1e-3);
  CHECK(std::abs(scaled->builds[0].law->c.value - 4e6) < 1e4);
  CHECK_FALSE(scaled->change);
  const auto measured = measured_by(machine);
  REQUIRE(measured.size() == 10);
  CHECK(measured[0] == "measure beta/cpu-infer with 1");
  CHECK(measured[4] == "measure beta/cpu-infer with 16");
  CHECK(measured[5] == measured[0]);
}

TEST_CASE("Scaling: what a call costs is overhead, what a row costs is kernels", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeMachine machine = machine_with({.call = 1e6, .row = 1});
  std::string words = "each iteration costs 1 ms";
  SECTION("a row") {
    machine = machine_with({.call = 0, .row = 1.2});
    words = "what grows with the batch takes 1.2";
  }
  SECTION("a call") {}
  SECTION("a call that costs less") {
    machine = machine_with({.call = -1e6, .row = 1});
    words = "each iteration costs 1 ms";
  }
  Bench bench(folder.path(), machine);
  const auto scaled = pipeline::scale(bench.context(), ends(bench, machine), beta, {});
  REQUIRE(scaled);
  REQUIRE(scaled->change);
  CHECK(scaled->change->one_exponent);
  CHECK(scaled->change->c_changed() == (words.find("each") == 0));
  CHECK(scaled->change->a_changed() == (words.find("what") == 0));
  const std::string text = daemon::scale_text(*scaled);
  INFO(text);
  CHECK(text.find(words) != std::string::npos);
  CHECK(text.find("+0.0%") != std::string::npos);
  CHECK(text.find(" -1 ms") == std::string::npos);
  CHECK((text.find("less overhead") != std::string::npos) == (scaled->change->difference_of_c.high < -1e5));
  const nlohmann::json json = daemon::json_of(*scaled);
  CHECK(json["builds"].size() == 2);
  CHECK(json["builds"][0]["points"][3]["batch"] == 8);
  CHECK(json["change"]["c_changed"] == scaled->change->c_changed());
}

TEST_CASE("Scaling: a batch that does not fit costs itself alone, and too few give no law", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeMachine machine = machine_with({});
  machine.most_samples = 64;
  Bench bench(folder.path(), machine);
  const auto build = ends(bench, machine).front();
  const auto scaled = pipeline::scale(bench.context(), {build}, beta, {});
  REQUIRE(scaled);
  CHECK(scaled->builds[0].points.size() == 7);
  CHECK(scaled->builds[0].law);
  REQUIRE(scaled->missing.contains(128));
  CHECK(scaled->missing.at(128).find("not here") != std::string::npos);
  CHECK(measured_by(machine).size() == 8 * 3 - 2);  // what failed once is not tried in the next rounds
  machine.most_samples = 4;
  const auto few = pipeline::scale(bench.context(), {build}, beta, {});
  REQUIRE(few);
  CHECK_FALSE(few->builds[0].law);
  const std::string text = daemon::scale_text(*few);
  CHECK(text.find("no law: 3 sizes are too few") != std::string::npos);
  CHECK(daemon::json_of(*few)["builds"][0]["no_law"] == few->builds[0].no_law);
}

TEST_CASE("Scaling: a time that the batch does not change has no law", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeMachine machine(5);
  machine.batch_time = [](std::size_t, int) { return 5e6; };
  Bench bench(folder.path(), machine);
  const auto scaled = pipeline::scale(bench.context(), ends(bench, machine), beta, {});
  REQUIRE(scaled);
  CHECK(scaled->builds[0].no_law.find("do not change") != std::string::npos);
  CHECK_FALSE(scaled->change);
}

TEST_CASE("Scaling: a size that the benchmark offers is set, and the law speaks of it", "[pipeline]") {
  const TemporaryDirectory folder;
  FakeMachine machine(5);
  machine.batch_time = [](std::size_t commit, int rows) {
    return (commit >= 3 ? 1.3 : 1) * 2e3 * std::pow(rows, 0.7) + 4e6;
  };
  Bench bench(folder.path(), machine);
  const pipeline::ScalePlan plan{.over = "rows", .sizes = {1024, 4096, 16384, 65536, 262144}, .processes = 1};
  const auto scaled = pipeline::scale(bench.context(), ends(bench, machine), beta, plan);
  REQUIRE(scaled);
  REQUIRE(scaled->change);
  CHECK(measured_by(machine).front() == "measure beta/cpu-infer with 1024");
  CHECK(std::abs(scaled->builds[0].law->b.value - 0.7) < 1e-3);
  CHECK(std::abs(scaled->change->ratio_of_a.value - 1.3) < 1e-3);
  const std::string text = daemon::scale_text(*scaled);
  INFO(text);
  CHECK(text.find("beta/cpu-infer over the rows") != std::string::npos);
  CHECK(text.find(" x rows^0.700") != std::string::npos);
  CHECK(text.find("what grows with the rows takes 1.3") != std::string::npos);
  const nlohmann::json json = daemon::json_of(*scaled);
  CHECK(json["over"] == "rows");
  CHECK(json["builds"][0]["points"][1]["rows"] == 4096);
  machine.batch_time = [](std::size_t, int) { return 5e6; };
  const auto flat = pipeline::scale(bench.context(), ends(bench, machine), beta, plan);
  REQUIRE(flat);
  CHECK(daemon::scale_text(*flat).find("no law: the values do not change") != std::string::npos);
}

}  // namespace tbci::scaling_test
