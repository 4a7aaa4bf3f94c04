// The TorchBench worker on a small package with TorchBench's interface (tests/runner/torchbench). A stand-in replaces
// PyTorch, so that the tests run in any Python; set TBCI_TEST_PYTHON to a Python with PyTorch to use that.
#include <cstdlib>

#include "runner/measure.hpp"
#include "runner/torchbench_suite.hpp"
#include "tests/catch.hpp"
#include "tests/environment_variable.hpp"
#include "tests/runner/fixtures.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::torchbench_test {

using namespace tbci::runner;
using model::Configuration;
using model::Outcome;

namespace {

namespace fs = std::filesystem;

const fs::path fixture = fs::path(TBCI_SOURCE_DIR) / "tests/runner/torchbench";

struct Bench {
  test::TemporaryDirectory folder;
  SystemProcessRunner processes;
  SystemClock clock;
  Measurer measurer{processes, clock};
  MeasureSettings settings;
  TorchBenchSettings torchbench;
  model::Product product;
  bool real = false;  // PyTorch itself

  Bench() {
    torchbench.checkout = fixture / "checkout";
    torchbench.worker = fs::path(TBCI_SOURCE_DIR) / "runner/torchbench/worker.py";
    product.python = "python3";
    if (const char* python = std::getenv("TBCI_TEST_PYTHON")) {
      product.python = python;
      real = true;
    } else {
      product.libtorch = fixture / "stand_in/torch";
    }
    settings.iterations = 6;
    settings.warmup = 2;
    settings.time_limit = std::chrono::minutes(2);
  }
  Suite suite() const { return torchbench_suite(torchbench, product); }
  model::Measurement run(const std::string& benchmark, Configuration configuration) {
    const auto measured =
        measurer.measure(product, suite(), {torchbench_prefix + benchmark, configuration}, settings, {});
    INFO((measured ? std::string() : measured.error().message));
    REQUIRE(measured);
    return *measured;
  }
  model::Measurement infer(const std::string& benchmark) { return run(benchmark, Configuration::cpu_infer); }
  model::Measurement train(const std::string& benchmark) { return run(benchmark, Configuration::cpu_train); }
  std::vector<BenchmarkInfo> list() {
    const auto listed = measurer.list_benchmarks(suite(), {});
    INFO((listed ? std::string() : listed.error().message));
    REQUIRE(listed);
    return *listed;
  }
  std::string refused() {
    const auto listed = measurer.list_benchmarks(suite(), {});
    REQUIRE_FALSE(listed);
    return listed.error().message;
  }
};

const BenchmarkInfo& named(const std::vector<BenchmarkInfo>& all, const std::string& name) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == name; });
  REQUIRE(found != all.end());
  return *found;
}

}  // namespace

TEST_CASE("TorchBench: lists the core models without importing them", "[torchbench]") {
  Bench bench;
  const auto listed = bench.list();
  const BenchmarkInfo& steady = named(listed, "torchbench.steady");
  CHECK(steady.domain == "computer vision");
  CHECK(steady.task == "classification");
  CHECK(steady.configurations.size() == 4);
  CHECK(steady.batch == std::map<std::string, std::int64_t>{{"train", 8}, {"infer", 4}});
  named(listed, "torchbench.needs_package");  // importing it would fail
  CHECK(std::none_of(listed.begin(), listed.end(), [](const auto& one) { return one.name == "torchbench.large"; }));
}

TEST_CASE("TorchBench: omits configurations that metadata.yaml marks as not implemented", "[torchbench]") {
  Bench bench;
  Command import_yaml;
  import_yaml.arguments = {bench.product.python.string(), "-c", "import yaml"};
  const auto has_yaml = bench.processes.run(import_yaml, {});
  REQUIRE(has_yaml);
  const auto listed = bench.list();
  const auto configurations = named(listed, "torchbench.fixed_batch").configurations;
  if (has_yaml->succeeded()) CHECK(configurations == std::vector{Configuration::cpu_train});
  if (!has_yaml->succeeded()) CHECK(configurations.size() == 4);
}

TEST_CASE("TorchBench: lists only the configured models, including canary models", "[torchbench]") {
  Bench bench;
  bench.torchbench.models = {"large", "steady", "gone"};
  const auto listed = bench.list();
  REQUIRE(listed.size() == 3);
  CHECK(bench.infer("large").outcome == Outcome::done);
  const auto gone = bench.infer("stedy");
  CHECK(gone.outcome == Outcome::unsupported);
  CHECK(gone.message == "the checkout has no model stedy (did you mean steady?)");
}

TEST_CASE("TorchBench: measures every iteration of a model", "[torchbench]") {
  Bench bench;
  for (const auto& measured : {bench.infer("steady"), bench.train("steady")}) {
    CHECK(measured.outcome == Outcome::done);
    CHECK(measured.message.empty());
    CHECK(measured.nanoseconds.size() == 6);
    CHECK(measured.warmup.count() > 0);
    CHECK(std::abs(measured.cpu_growth_bytes.value_or(1e9)) < 4096);
    if (!bench.real) CHECK(measured.torch_git == "0123456789012345678901234567890123456789");
  }
  bench.settings.precision = "bf16";  // it says so, or tbci would refuse its numbers
  CHECK(bench.infer("steady").message.empty());
}

TEST_CASE("TorchBench: the peak is that of the model's process", "[torchbench]") {
  Bench bench;
  bench.settings.batch = 1;
  const double small = static_cast<double>(bench.infer("steady").cpu_peak_bytes.value_or(0));
  bench.settings.batch = 129;  // touches a mebibyte for each sample
  const double large = static_cast<double>(bench.infer("steady").cpu_peak_bytes.value_or(0));
  CHECK(small > 1 << 20);
  CHECK(large - small == Approx(128 << 20).epsilon(0.02));
}

TEST_CASE("TorchBench: creates the model with the requested batch, threads and folder", "[torchbench]") {
  Bench bench;
  const test::EnvironmentVariable record("TBCI_TEST_RECORD", (bench.folder / "record").string());
  const auto recorded = [&] { return read_file(bench.folder / "record").value(); };
  bench.settings.threads = 2;
  bench.settings.seed = 7;
  if (bench.real) return;  // the model asks what stands for PyTorch
  bench.train("steady");
  CHECK(recorded().starts_with("batch 8\nthreads 2\ninterop 1\nseed 7\nrandom 0.32383276483316237\n"));
  CHECK(recorded().ends_with("folder checkout\n"));
  bench.settings.size = "paper";
  bench.train("steady");
  CHECK(recorded().starts_with("batch 32\n"));
  bench.settings.batch = 5;
  bench.train("steady");
  CHECK(recorded().starts_with("batch 5\n"));
}

TEST_CASE("TorchBench: a raised or returned NotImplementedError is unsupported", "[torchbench]") {
  Bench bench;
  for (const int warmup : {0, 2}) {
    bench.settings.warmup = warmup;
    const auto raised = bench.train("raises");
    CHECK(raised.outcome == Outcome::unsupported);
    CHECK(raised.message == "Training not supported");
    const auto returned = bench.train("returns");
    CHECK(returned.outcome == Outcome::unsupported);
    CHECK(returned.message == "FSDP should implement a training loop");
    CHECK(returned.nanoseconds.empty());
  }
  CHECK(bench.infer("raises").outcome == Outcome::unsupported);
  CHECK(bench.infer("returns").outcome == Outcome::unsupported);
}

TEST_CASE("TorchBench: names a missing package, and does not blame the model", "[torchbench]") {
  Bench bench;
  const auto measured = bench.infer("needs_package");
  CHECK(measured.outcome == Outcome::unsupported);
  CHECK(measured.message == "needs the Python package a_package_that_nobody_has, which is not installed");
}

TEST_CASE("TorchBench: reports the first line of an exception and keeps the samples so far", "[torchbench]") {
  Bench bench;
  const auto broken = bench.infer("breaks");
  CHECK(broken.outcome == Outcome::exception);
  CHECK(broken.message == "ValueError: the shapes ? differ");
  CHECK(broken.nanoseconds.size() == 2);
  CHECK(bench.train("breaks").outcome == Outcome::out_of_memory);
  const auto quit = bench.train("talks");
  CHECK(quit.outcome == Outcome::exception);
  CHECK(quit.message == "it called exit(-1)");
}

TEST_CASE("TorchBench: output of a model or its children does not mix with the protocol", "[torchbench]") {
  Bench bench;
  const auto measured = bench.infer("talks");
  CHECK(measured.message.empty());
  CHECK(measured.outcome == Outcome::done);
}

TEST_CASE("TorchBench: kept memory is growth, garbage that waits for the collector is not", "[torchbench]") {
  Bench bench;
  CHECK(bench.infer("leaks").cpu_growth_bytes.value_or(0) == Approx(65536).epsilon(0.1));
  // In small objects, which the C library's allocator does not see.
  CHECK(bench.train("leaks").cpu_growth_bytes.value_or(0) == Approx(65536).epsilon(0.1));
  CHECK(bench.infer("cycles").cpu_growth_bytes.value_or(1e9) < 4096);
}

TEST_CASE("TorchBench: a rejected batch is unsupported only if it was requested", "[torchbench]") {
  Bench bench;
  CHECK(bench.train("fixed_batch").outcome == Outcome::done);
  const auto listed = bench.list();
  CHECK(named(listed, "torchbench.fixed_batch").batch.at("train") == 256);
  bench.settings.batch = 8;
  const auto refused = bench.train("fixed_batch");
  CHECK(refused.outcome == Outcome::unsupported);
  CHECK(refused.message == "Model doesn't support customizing batch size");
}

TEST_CASE("TorchBench: runs models of an older checkout, and reports the arguments of unknown ones", "[torchbench]") {
  Bench bench;
  CHECK(bench.infer("older").outcome == Outcome::done);
  CHECK(bench.train("older").message == "this model has no training");
  const auto unknown = bench.infer("another_shape");
  CHECK(unknown.outcome == Outcome::exception);
  CHECK(unknown.message.find("Model takes (where)") != std::string::npos);
}

TEST_CASE("TorchBench: a missing GPU is unsupported", "[torchbench]") {
  Bench bench;
  if (bench.real) return;
  const auto measured = bench.run("steady", Configuration::gpu_infer);
  CHECK(measured.outcome == Outcome::unsupported);
  CHECK(measured.message == "this torch was built without CUDA");
}

TEST_CASE("TorchBench: preloads libraries before it creates the model, and reports one that fails", "[torchbench]") {
  Bench bench;
  const fs::path library = bench.folder / "preloaded.so";
  REQUIRE(write_file_atomically(bench.folder / "preloaded.c", "int tbci_test_preloaded(void) { return 1; }\n"));
  Command compile;
  compile.arguments = {"cc", "-shared", "-fPIC", "-o", library.string(), (bench.folder / "preloaded.c").string()};
  REQUIRE(run_checked(bench.processes, compile));
  const test::EnvironmentVariable record("TBCI_TEST_RECORD", (bench.folder / "record").string());
  bench.product.preload = {library};
  CHECK(bench.infer("steady").outcome == Outcome::done);
  CHECK(read_file(bench.folder / "record").value().find("preloaded True\n") != std::string::npos);
  bench.product.preload = {bench.folder / "missing.so"};
  const auto missing = bench.infer("steady");
  CHECK(missing.outcome == Outcome::exception);
  CHECK(missing.message.starts_with("cannot preload " + (bench.folder / "missing.so").string()));
}

TEST_CASE("TorchBench: ignores the user's Python settings", "[torchbench]") {
  Bench bench;
  const auto written =
      write_file_atomically(bench.folder / "argparse.py", "raise RuntimeError('the wrong argparse')\n");
  REQUIRE(written);
  const test::EnvironmentVariable path("PYTHONPATH", bench.folder.path().string());
  const test::EnvironmentVariable home("PYTHONHOME", "/nowhere");
  const test::EnvironmentVariable malloc("PYTHONMALLOC", "debug");
  const auto measured = bench.infer("steady");
  INFO(measured.message);
  CHECK(measured.outcome == Outcome::done);
}

TEST_CASE("TorchBench: rejects unsupported commands with an error line", "[torchbench]") {
  Bench bench;
  const model::Case steady{"torchbench.steady", Configuration::cpu_infer};
  const auto operators = bench.measurer.operators(bench.product, bench.suite(), steady, bench.settings, {});
  REQUIRE_FALSE(operators);
  CHECK(operators.error().message == "unsupported: the TorchBench worker has no `operators`");
  const auto profile = bench.measurer.profile(bench.product, bench.suite(), steady, bench.settings, {});
  REQUIRE_FALSE(profile);
  CHECK(profile.error().message.find("the TorchBench worker has no `profile`") != std::string::npos);
  bench.product.python.clear();
  CHECK_FALSE(bench.measurer.profile(bench.product, bench.suite(), steady, bench.settings, {}));
}

TEST_CASE("TorchBench: reports a folder that is not a checkout", "[torchbench]") {
  Bench bench;
  bench.torchbench.checkout = bench.folder.path();
  CHECK(bench.refused().find("is not a checkout of pytorch/benchmark: it has no torchbenchmark/__init__.py") !=
        std::string::npos);
  const auto measured = bench.infer("steady");
  CHECK(measured.outcome == Outcome::exception);
  CHECK(measured.message.find("is not a checkout") != std::string::npos);
  const auto written = write_file_atomically(bench.folder / "torchbenchmark/__init__.py", "");
  REQUIRE(written);
  CHECK(bench.refused().find("an unknown layout: it has no folder torchbenchmark/models") != std::string::npos);
}

TEST_CASE("TorchBench: reports a Python without the build's torch", "[torchbench]") {
  Bench bench;
  bench.product.libtorch = bench.folder / "torch";
  const std::string other = bench.refused();
  CHECK((other.find("has no torch") != std::string::npos ||
         other.find("would measure the torch in") != std::string::npos));
  CHECK(bench.infer("steady").outcome == Outcome::exception);
}

TEST_CASE("TorchBench: without a Python the suite is unavailable and says what to do", "[torchbench]") {
  Bench bench;
  bench.product.python.clear();
  CHECK(bench.suite().unavailable_reason.find("[subject.torchbench]") != std::string::npos);
  CHECK(bench.infer("steady").outcome == Outcome::unsupported);
  bench.torchbench.python = bench.folder / "bin/python";
  CHECK(bench.suite().unavailable_reason.starts_with("no Python at "));
  bench.torchbench.python = "python3";
  CHECK(bench.suite().unavailable_reason.empty());
}

TEST_CASE("suites_of: adds TorchBench to the native suite if it is configured", "[torchbench]") {
  Subject subject;
  CHECK(suites_of(subject, {}, "worker").size() == 1);
  subject.torchbench.checkout = "checkout";
  const auto suites = suites_of(subject, {}, "worker");
  REQUIRE(suites.size() == 2);
  CHECK(suites[0].prefix.empty());
  CHECK(suites[1].own_name("torchbench.resnet18") == "resnet18");
}

TEST_CASE("TorchBench: a checkout with TorchDynamo has the backend inductor, an older one eager alone",
          "[torchbench]") {
  Bench bench;
  CHECK(named(bench.list(), "torchbench.compiles").backends ==
        std::vector{model::Backend::eager, model::Backend::inductor});
  fs::copy(bench.torchbench.checkout, bench.folder / "checkout", fs::copy_options::recursive);
  fs::remove_all(bench.folder / "checkout/torchbenchmark/util/backends");
  bench.torchbench.checkout = bench.folder / "checkout";
  CHECK(named(bench.list(), "torchbench.compiles").backends == std::vector{model::Backend::eager});
}

TEST_CASE("TorchBench: inductor is compared with eager, and its compilation is evidence", "[torchbench]") {
  Bench bench;
  for (const Configuration configuration : {Configuration::cpu_infer, Configuration::cpu_train}) {
    const auto measured = bench.run("compiles", with(model::Backend::inductor, configuration));
    INFO(measured.message << measured.details);
    REQUIRE(measured.outcome == Outcome::done);
    REQUIRE(measured.compiling);
    CHECK(measured.compiling->time >= std::chrono::milliseconds(49));
    CHECK(measured.compiling->time < std::chrono::seconds(20));
    CHECK(measured.compiling->difference == 0);
    CHECK(measured.compiling->unsteady_iterations >= 1);
    CHECK(measured.nanoseconds.size() == 6);
  }
  const auto eager = bench.infer("compiles");
  CHECK(eager.outcome == Outcome::done);
  CHECK_FALSE(eager.compiling);
}

TEST_CASE("TorchBench: what Inductor computes wrong, or does not compile, is unsupported", "[torchbench]") {
  Bench bench;
  const auto refused = [&](const std::string& name, Configuration configuration = Configuration::cpu_infer) {
    const auto measured = bench.run(name, with(model::Backend::inductor, configuration));
    CHECK(measured.outcome == Outcome::unsupported);
    return measured.message;
  };
  CHECK(refused("compiles_wrong") ==
        "inductor computes something else: output 2 of 2 differs from eager's by 0.5 of its norm (0.001 is allowed)");
  CHECK(refused("does_not_compile") == "inductor cannot run it: RuntimeError: LoweringException: u51");
  CHECK(refused("steady") == "inductor: the model returns nothing that can be compared with eager's");
  CHECK(refused("steady", Configuration::cpu_train) ==
        "inductor: TorchBench gives no module whose gradients can be compared");
  CHECK(refused("trains_nothing", Configuration::cpu_train) ==
        "inductor: the module that TorchBench gives is not trained: nothing can be compared");
  CHECK(bench.infer("does_not_compile").outcome == Outcome::done);
}

TEST_CASE("TorchBench: a model of which nothing is compiled has no backend inductor", "[torchbench]") {
  Bench bench;
  const auto measured = bench.run("compiles_nothing", with(model::Backend::inductor, Configuration::cpu_infer));
  CHECK(measured.outcome == Outcome::unsupported);
  CHECK(measured.message == "inductor compiled no part of it: the model does not run what TorchBench compiles");
  CHECK(bench.infer("compiles_nothing").outcome == Outcome::done);
}

TEST_CASE("TorchBench: where rounding alone moves a result, compiled code may differ by more", "[torchbench]") {
  Bench bench;
  constexpr Configuration compiled = with(model::Backend::inductor, Configuration::cpu_infer);
  bench.settings.batch = 2;  // percent that the compiled model is off
  const auto measured = bench.run("rounds", compiled);
  INFO(measured.message << measured.details);
  REQUIRE(measured.outcome == Outcome::done);
  CHECK(measured.compiling->difference > 0.01);
  bench.settings.batch = 6;
  CHECK(bench.run("rounds", compiled).message ==
        "inductor computes something else: output 1 of 1 differs from eager's by 0.06 of its norm (0.05 is allowed; "
        "eager's own changes by 0.011 where its weights change by a millionth)");
}

TEST_CASE("TorchBench: compiled code may draw other random numbers", "[torchbench]") {
  Bench bench;
  const auto measured = bench.run("drops_out", with(model::Backend::inductor, Configuration::cpu_infer));
  INFO(measured.message);
  REQUIRE(measured.outcome == Outcome::done);
  CHECK(measured.compiling->difference == 0);
}

}  // namespace tbci::torchbench_test
