#include "pipeline/measure/batch_size_search.hpp"

#include <nlohmann/json.hpp>

#include "daemon/cli/gpu_split.hpp"
#include "daemon/cli/suite_batches.hpp"
#include "pipeline/measure/measuring.hpp"
#include "tests/catch.hpp"
#include "tests/pipeline/fake_subject.hpp"

namespace tbci::batch_size_search_test {

using namespace tbci::pipeline;
using namespace tbci::settings;
using model::Configuration;

namespace {

struct Setting {
  test::TemporaryDirectory folder;
  test::FakeMachine machine{2};
  BatchSearchPlan plan{.cases = {{"alpha", Configuration::cpu_infer}, {"beta", Configuration::cpu_infer}},
                       .file = folder / "sizes.toml",
                       .settings = {}};

  Setting() { std::filesystem::create_directories(folder / "state"); }
  test::Bench bench() { return test::Bench(folder / "state", machine); }
  std::vector<CaseSearch> search() {
    test::Bench at = bench();
    at.config().measure.sampling.least = 2;
    const auto searches = search_batches(at.context(), {}, plan);
    INFO((searches ? std::string() : searches.error().message));
    REQUIRE(searches);
    return *searches;
  }
};

}  // namespace

TEST_CASE("Batches: each case is searched in fresh processes and kept with what it holds for", "[batch]") {
  Setting setting;
  const auto searches = setting.search();
  REQUIRE(searches.size() == 2);
  CHECK(searches[0].searched.answer.batch == 8);
  CHECK(searches[0].searched.answer.points.size() == 6);  // 1 to 8, and 16 and 32 that are not better
  CHECK(searches[0].searched.answer.points[3].samples_per_second == 8000);
  CHECK(setting.machine.effects.size() == 2 * 6 * 2);
  CHECK(setting.machine.effects[0] == "measure alpha/cpu-infer with 1");
  CHECK(setting.machine.effects[2] == "measure alpha/cpu-infer with 2");
  const auto kept = read_batch_sizes(setting.plan.file).value();
  REQUIRE(kept.size() == 2);
  CHECK(kept[0].measured.benchmark == "alpha");
  CHECK(kept[0].answer.batch == 8);
  CHECK(kept[0].runner == "test-runner");
  CHECK(kept[0].device == "fake");
  CHECK(kept[0].torch == "fake");
  CHECK(kept[0].size == "ci");
  CHECK(kept[0].precision == "fp32");
}

TEST_CASE("Batches: what the file has is not searched again, unless asked or for another machine", "[batch]") {
  Setting setting;
  setting.search();
  setting.machine.effects.clear();
  for (const CaseSearch& again : setting.search()) {
    CHECK_FALSE(again.now);
    CHECK(again.searched.answer.batch == 8);
  }
  CHECK(setting.machine.effects.empty());
  setting.machine.side_by_side = 2;
  setting.plan.again = true;
  CHECK(setting.search()[0].searched.answer.batch == 2);
  CHECK(read_batch_sizes(setting.plan.file).value().size() == 2);  // replaced, not added

  setting.plan.again = false;
  setting.machine.effects.clear();
  test::Bench other = setting.bench();
  other.config().runner.name = "another";
  CHECK(search_batches(other.context(), {}, setting.plan).value()[0].now);
  other.config().measure.worker.precision = "bf16";
  CHECK(search_batches(other.context(), {}, setting.plan).value()[0].now);
  CHECK(read_batch_sizes(setting.plan.file).value().size() == 4);
}

TEST_CASE("Batches: a search that is cut off goes on with the next case", "[batch]") {
  Setting setting;
  setting.machine.before_effect = [](const std::string& effect) -> Status {
    if (effect.starts_with("measure beta")) return fail(ErrorKind::interrupted, "stopped");
    return {};
  };
  {
    test::Bench bench = setting.bench();
    CHECK(search_batches(bench.context(), {}, setting.plan).error().kind == ErrorKind::interrupted);
  }
  CHECK(read_batch_sizes(setting.plan.file).value().size() == 1);
  setting.machine.before_effect = {};
  setting.machine.effects.clear();
  const auto searches = setting.search();
  CHECK_FALSE(searches[0].now);
  CHECK(searches[1].now);
  CHECK(setting.machine.effects.front() == "measure beta/cpu-infer with 1");
}

TEST_CASE("Batches: memory ends a search, and a case that cannot be run costs only itself", "[batch]") {
  Setting setting;
  setting.machine.side_by_side = 1 << 10;
  setting.machine.most_samples = 16;
  setting.plan.cases = {{"alpha", Configuration::gpu_infer}, {"beta", Configuration::cpu_infer}};
  const auto searches = setting.search();
  CHECK(searches[0].searched.answer.batch == 0);
  CHECK(searches[1].searched.answer.batch == 16);
  CHECK(searches[1].searched.answer.end == runner::BatchEnd::memory);
  CHECK(read_batch_sizes(setting.plan.file).value().size() == 1);
  const std::string text = daemon::batches_text(searches, {{"beta", 4}});
  CHECK(text.find("unsupported: not here") != std::string::npos);
  CHECK(text.find("memory: not here") != std::string::npos);
  const auto json = daemon::batches_json(searches);
  CHECK(json[1]["batch"] == 16);
  CHECK(json[1]["points"].size() == 6);
  CHECK(json[1]["points"][5]["outcome"] == "out_of_memory");
}

TEST_CASE("Batches: a file that is wrong is left as it is", "[batch]") {
  Setting setting;
  REQUIRE(write_file_atomically(setting.plan.file, "nonsense = 1\n"));
  test::Bench bench = setting.bench();
  CHECK(search_batches(bench.context(), {}, setting.plan).error().kind == ErrorKind::usage);
  CHECK(read_file(setting.plan.file).value() == "nonsense = 1\n");
  CHECK(setting.machine.effects.empty());
}

TEST_CASE("Batches: training has none to search", "[batch]") {
  const auto inference = inference_of({{"a", Configuration::cpu_train}, {"a", Configuration::gpu_infer}});
  CHECK(inference.value() == std::vector<model::Case>{{"a", Configuration::gpu_infer}});
  const auto none = inference_of({{"a", Configuration::cpu_train}});
  REQUIRE_FALSE(none);
  CHECK(none.error().message.find("convergence") != std::string::npos);
}

TEST_CASE("Batches: a searched benchmark that the suite does not have is reported, and nothing fails", "[batch]") {
  Setting setting;
  test::Bench bench = setting.bench();
  bench.config().measure.batch_sizes = "sizes.toml";
  bench.config().measure.worker.batches = {{{"alhpa", Configuration::cpu_infer}, 4},
                                           {{"beta", Configuration::cpu_infer}, 4}};
  CHECK(wanted_cases(bench.context(), {}));
  REQUIRE(bench.notes().size() == 1);
  CHECK(bench.notes()[0] ==
        "sizes.toml names the benchmark 'alhpa', which the suite does not have (did you mean 'alpha'?)");
}

TEST_CASE("GPU split: says how much longer a traced iteration is, and what held the clock down", "[gpu]") {
  using std::chrono::nanoseconds;
  model::Measurement first, second;
  first.nanoseconds = {500, 500, 500};
  first.gpu_split = model::GpuSplit{nanoseconds(400), nanoseconds(0), nanoseconds(200)};
  first.gpu_load = model::GpuLoad{.sm_mhz_low = 1410, .sm_mhz_high = 1980, .celsius = 61, .held_down_by = 0x1 | 0x4};
  second.gpu_load = model::GpuLoad{.sm_mhz_low = 1500, .sm_mhz_high = 1980, .celsius = 65, .held_down_by = 0x40};
  const std::string text = daemon::gpu_split_text({{{"a", Configuration::gpu_train}, {first, second}}});
  for (const char* part : {"1.20x", "1410 to 1980", "65", "power limit, heat (hardware)"}) {
    INFO(text);
    CHECK(text.find(part) != std::string::npos);
  }
  CHECK(daemon::gpu_load_json(*first.gpu_load)["held_down_by"] == "power limit");
}

TEST_CASE("GPU split: shares are shown for the cases that were traced, and only there", "[gpu]") {
  using std::chrono::nanoseconds;
  model::Measurement traced;
  traced.gpu_split = model::GpuSplit{nanoseconds(568), nanoseconds(21), nanoseconds(411)};
  const std::string text = daemon::gpu_split_text(
      {{{"a", Configuration::gpu_train}, {traced}}, {{"b", Configuration::cpu_train}, {model::Measurement{}}}});
  CHECK(text.find("a/gpu-train") != std::string::npos);
  CHECK(text.find("56.8%") != std::string::npos);
  CHECK(text.find("2.1%") != std::string::npos);
  CHECK(text.find("41.1%") != std::string::npos);
  CHECK(text.find("b/cpu-train") == std::string::npos);
  CHECK(daemon::gpu_split_text({{{"b", Configuration::cpu_train}, {model::Measurement{}}}}).empty());
  CHECK(daemon::gpu_split_json(*traced.gpu_split)["idle"] == 411);
}

}  // namespace tbci::batch_size_search_test
