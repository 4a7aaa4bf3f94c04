// The worker for Python functions (runner/python), as Measurer runs it.
#include "base/text.hpp"
#include "runner/command_suite.hpp"
#include "runner/measure.hpp"
#include "runner/worker_environment.hpp"
#include "tests/catch.hpp"
#include "tests/runner/measure_bench.hpp"

namespace tbci::python_worker_test {

using namespace tbci::runner;
using model::Configuration;
using model::Outcome;

namespace {

// A package in the build's folder, and a file that measures it.
struct Bench : test::MeasureBench {
  Measurer measurer{processes, clock};
  model::Product product;

  Bench() {
    product.folder = folder / "build";
    settings.iterations = 4;
    package("def work():\n    return sum(range(2000))\n");
    benchmarks(R"(import own
from tbci_worker import benchmark, Unsupported

kept = []

@benchmark(domain="numbers", task="sums")
def sums():
    print("noise on standard output")
    return own.work

@benchmark(configurations=["cpu-infer", "cpu-train"])
def leaks(setup):
    assert setup.size == "ci"
    return lambda: kept.append(bytes(4096))

@benchmark("raises")
def named_otherwise():
    def iteration():
        raise RuntimeError("no luck\nsecond line")
    return iteration

@benchmark()
def needs():
    raise Unsupported("this machine has no luck")

@benchmark()
def nothing():
    return 7
)");
  }

  void package(const std::string& text) { REQUIRE(write_file_atomically(folder / "build/own.py", text)); }
  void benchmarks(const std::string& text) { REQUIRE(write_file_atomically(folder / "benchmarks.py", text)); }

  Suite suite() const {
    Subject subject;
    subject.python_worker = std::filesystem::path(TBCI_SOURCE_DIR) / "runner/python/worker.py";
    return command_suite({.name = "mine",
                          .command = {"python3", "{worker}", (folder / "benchmarks.py").string()},
                          .environment = {{"PYTHONPATH", "{folder}"}}},
                         subject, product);
  }
  model::Measurement run(const std::string& name, Configuration configuration = Configuration::cpu_infer) {
    const auto measured = measurer.measure(product, suite(), {"mine." + name, configuration}, settings, {});
    INFO((measured ? std::string() : measured.error().message));
    REQUIRE(measured);
    return *measured;
  }
  std::string refused() {
    const auto listed = measurer.list_benchmarks(suite(), {});
    REQUIRE_FALSE(listed);
    CHECK(listed.error().kind == ErrorKind::failed);
    return listed.error().message;
  }
};

}  // namespace

TEST_CASE("Python worker: lists the functions of a file", "[python]") {
  Bench bench;
  const auto listed = bench.measurer.list_benchmarks(bench.suite(), {});
  INFO((listed ? std::string() : listed.error().message));
  REQUIRE(listed);
  REQUIRE(listed->size() == 5);
  CHECK(listed->at(0).name == "mine.sums");
  CHECK(listed->at(0).domain == "numbers");
  CHECK(listed->at(0).configurations == std::vector{Configuration::cpu_infer});
  CHECK(listed->at(1).configurations.size() == 2);
  CHECK(listed->at(2).name == "mine.raises");
}

TEST_CASE("Python worker: measures what a function returns", "[python]") {
  Bench bench;
  bench.settings.leak_iterations = 20;
  const auto sums = bench.run("sums");
  INFO(sums.message);
  CHECK(sums.outcome == Outcome::done);
  CHECK(sums.nanoseconds.size() == 4);
  CHECK(sums.cpu_peak_bytes.value_or(0) > 1 << 20);
  CHECK(sums.cpu_growth_bytes.value_or(1e9) < 500);
  CHECK(bench.run("leaks").cpu_growth_bytes.value_or(0) == Approx(4130).margin(200));
  CHECK(bench.run("leaks", Configuration::cpu_train).outcome == Outcome::done);
}

TEST_CASE("Python worker: says why a function cannot be measured", "[python]") {
  Bench bench;
  const auto raised = bench.run("raises");
  CHECK(raised.outcome == Outcome::exception);
  CHECK(raised.message == "RuntimeError: no luck");
  CHECK(contains(raised.details, "second line"));
  CHECK(bench.run("needs").outcome == Outcome::unsupported);
  CHECK(bench.run("needs").message == "this machine has no luck");
  CHECK(contains(bench.run("nothing").message, "returned int instead of a function"));
  CHECK(bench.run("sums", Configuration::cpu_train).outcome == Outcome::unsupported);
  CHECK(contains(bench.run("smus").message, "did you mean sums?"));
}

TEST_CASE("Python worker: a package that a commit broke is a failure, and not unsupported", "[python]") {
  Bench bench;
  bench.package("raise ImportError('cannot import name work')\n");
  CHECK(bench.run("sums").outcome == Outcome::exception);
  CHECK(contains(bench.refused(), "cannot import name work"));
  std::filesystem::remove(bench.product.folder / "own.py");
  CHECK(contains(bench.run("sums").message, "No module named 'own'"));
}

TEST_CASE("Python worker: a wrong file of benchmarks says what is wrong", "[python]") {
  Bench bench;
  bench.benchmarks("x = 1\n");
  CHECK(contains(bench.refused(), "has no benchmark"));
  bench.benchmarks("from tbci_worker import benchmark\n@benchmark\ndef a():\n    pass\n");
  CHECK(contains(bench.refused(), "with its brackets"));
  bench.benchmarks("from tbci_worker import benchmark\n@benchmark('a/b')\ndef a():\n    pass\n");
  CHECK(contains(bench.refused(), "cannot be a benchmark's name"));
  bench.benchmarks("def a(:\n");
  CHECK(contains(bench.refused(), "SyntaxError"));
  std::filesystem::remove(bench.folder / "benchmarks.py");
  CHECK(contains(bench.refused(), "there is no file"));
}

TEST_CASE("Python worker: two of them take turns", "[python]") {
  Bench bench;
  const Suite suite = bench.suite();
  const auto pair = bench.measurer.measure_alternately({bench.product, suite}, {bench.product, suite},
                                                       {"mine.sums", Configuration::cpu_infer}, bench.settings, {});
  INFO((pair ? std::string() : pair.error().message));
  REQUIRE(pair);
  CHECK(pair->before.outcome == Outcome::done);
  CHECK(pair->before.alternating);
  CHECK(pair->after.alternating);
}

TEST_CASE("Python worker: tells the interpreter and the libraries that it loads", "[python]") {
  Bench bench;
  const auto loaded = ask_worker(bench.processes, bench.suite(), bench.product, {}, {});
  INFO((loaded ? std::string() : loaded.error().message));
  REQUIRE(loaded);
  REQUIRE(loaded->libraries.size() > 1);
  CHECK(contains(loaded->libraries.front().filename().string(), "python"));
}

}  // namespace tbci::python_worker_test
