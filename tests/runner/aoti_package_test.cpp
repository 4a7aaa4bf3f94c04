// Packages of AOTInductor, with scripts in place of the worker and of Python.
#include "runner/aoti_package.hpp"

#include "base/file.hpp"
#include "base/text.hpp"
#include "runner/listing.hpp"
#include "runner/source/machine_trouble.hpp"
#include "tests/catch.hpp"
#include "tests/runner/measure_bench.hpp"

namespace tbci::aoti_package_test {

using namespace tbci::runner;
using namespace tbci::test::worker_lines;
using model::Outcome;

namespace {

// The worker writes its command lines to `worker.calls` and a trace where it is asked for one. Python writes its own to
// `python.calls` and a package.
struct Bench : test::MeasureBench {
  model::Case measured{"dlrm", with(model::Backend::aoti, model::Configuration::cpu_infer)};
  model::Product product;
  AotiSettings aoti;
  std::filesystem::path python = folder / "python";
  std::map<std::string, std::string> variables;  // of the runner
  std::string worker_does = "echo trace > \"$out\"\n",
              python_does = "echo package > \"$out\"\necho '{\"type\":\"done\"}'\n";

  Bench() {
    product.libtorch = folder / "torch";
    product.python = python;
    REQUIRE(write_file_atomically(product.libtorch / "__init__.py", ""));
    aoti.program = "/share/make_package.py";
  }
  std::string calls(const char* program) const {
    return read_file(folder / (std::string(program) + ".calls")).value_or("");
  }
  std::size_t count(const char* program) const { return split(trim(calls(program)), '\n').size(); }

  Suite suite() {
    const std::string note = "echo \"$@\" >> " + (folder / "").string();
    const std::string find_out = "\nfor word; do [ \"$last\" = --out ] && out=$word; last=$word; done\n";
    const std::string aoti_hello = replaced(hello, "cpu-infer\"", "cpu-infer\",\"backend\":\"aoti\"");
    const std::string counted = replaced(done, "\"samples\":2", "\"samples\":2,\"compile_nanoseconds\":7");
    Suite made = native_suite(
        test::write_script(folder / "worker", note + "worker.calls" + find_out + "if [ \"$1\" = trace ]; then\n" +
                                                  worker_does + "exit\nfi\n" + aoti_hello + two_samples + counted));
    REQUIRE(make_directories(python.parent_path()));
    test::write_script(python, note + "python.calls" + find_out + python_does);
    made.environment = variables;
    made.packages = package_maker(aoti, product, folder / "worker");
    return made;
  }
  model::Measurement measure() {
    Measurer measurer(processes, clock);
    const auto measurement = measurer.measure(product, suite(), measured, settings, {});
    INFO((measurement ? std::string() : measurement.error().message));
    REQUIRE(measurement);
    return *measurement;
  }

 private:
  static std::string replaced(std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
  }
};

}  // namespace

TEST_CASE("AOTInductor: a package is made once, of the trace in eager, and the worker runs it", "[aoti]") {
  Bench bench;
  const auto first = bench.measure(), second = bench.measure();
  CHECK(first.outcome == Outcome::done);
  CHECK(second.outcome == Outcome::done);
  const auto lines = split(trim(bench.calls("worker")), '\n');
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].starts_with("trace --protocol 1 --benchmark dlrm --configuration cpu-infer --size ci "));
  CHECK(lines[0].find("--backend") == std::string::npos);
  CHECK(lines[1].starts_with("run --protocol 1 --benchmark dlrm --configuration cpu-infer --backend aoti "));
  const std::string package = lines[1].substr(lines[1].find("--package ") + 10);
  CHECK(read_file(package).value() == "package\n");
  CHECK(package.starts_with((bench.folder / "packages").string()));
  CHECK(lines[2] == lines[1]);
  CHECK(bench.count("python") == 1);
  CHECK(bench.calls("python").starts_with("/share/make_package.py --trace "));
  CHECK(bench.calls("python").find("--torch " + (bench.folder / "torch").string()) != std::string::npos);
}

TEST_CASE("AOTInductor: the time to make a package counts as compiling, also where it was made earlier", "[aoti]") {
  Bench bench;
  bench.python_does = "sleep 0.3\n" + bench.python_does;
  const auto first = bench.measure(), second = bench.measure();
  REQUIRE(first.compiling);
  REQUIRE(second.compiling);
  CHECK(first.compiling->time >= std::chrono::milliseconds(300));
  CHECK(second.compiling->time == first.compiling->time);
}

TEST_CASE("AOTInductor: another batch, number of threads, variable or Python gets a package of its own", "[aoti]") {
  Bench bench;
  bench.measure();
  bench.settings.batch = 7;
  bench.measure();
  CHECK(bench.count("python") == 2);
  bench.settings.threads = 2;
  bench.measure();
  CHECK(bench.count("python") == 3);
  bench.settings.leak_iterations = 50;  // say nothing about the code
  bench.settings.warmup = 9;
  bench.measure();
  CHECK(bench.count("python") == 3);
  bench.variables = {{"ATEN_CPU_CAPABILITY", "default"}};  // changes which instructions are used
  bench.measure();
  CHECK(bench.count("python") == 4);
  test::write_script(bench.folder / "other", "exit 2\n");
  bench.aoti.python = bench.folder / "other";
  CHECK(bench.measure().outcome == Outcome::crashed);
}

TEST_CASE("AOTInductor: what makes the packages is part of what they are: the program and the Python's packages",
          "[aoti]") {
  Bench bench;
  bench.aoti.program = bench.folder / "make_package.py";
  REQUIRE(write_file_atomically(bench.aoti.program, "one\n"));
  bench.python = bench.folder / "venv/bin/python3";
  bench.product.python = bench.python;
  const auto packages = bench.folder / "venv/lib/python3.11/site-packages";
  REQUIRE(make_directories(packages / "triton-3.4.0.dist-info"));
  bench.measure();
  bench.measure();
  CHECK(bench.count("python") == 1);
  REQUIRE(write_file_atomically(bench.aoti.program, "two\n"));
  bench.measure();
  CHECK(bench.count("python") == 2);
  std::filesystem::rename(packages / "triton-3.4.0.dist-info", packages / "triton-3.5.0.dist-info");
  bench.measure();
  CHECK(bench.count("python") == 3);
  REQUIRE(write_file_atomically(bench.folder / "venv/pyvenv.cfg", "version = 3.12.1\n"));
  bench.measure();
  bench.measure();
  CHECK(bench.count("python") == 4);
}

TEST_CASE("AOTInductor: packages are made on the CPUs that are measured on", "[aoti]") {
  Bench bench;
  bench.settings.cpus = {allowed_cpus().back()};
  bench.python_does = "grep Cpus_allowed_list /proc/self/status > \"$out\"\n";
  bench.measure();
  const auto lines = split(trim(bench.calls("worker")), '\n');
  const std::string package = lines.back().substr(lines.back().find("--package ") + 10);
  CHECK(read_file(package).value().ends_with("\t" + std::to_string(allowed_cpus().back()) + "\n"));
}

TEST_CASE("AOTInductor: a model that it refuses is unsupported, and is asked once", "[aoti]") {
  Bench bench;
  bench.python_does = R"(printf 'Traceback:\nu51\n' >&2
echo '{"type":"error","kind":"unsupported","message":"AOTInductor cannot compile it: u51"}'; exit 1)";
  for (int time = 0; time < 2; ++time) {
    const auto refused = bench.measure();
    CHECK(refused.outcome == Outcome::unsupported);
    CHECK(refused.message == "AOTInductor cannot compile it: u51");
    CHECK(refused.details == "Traceback:\nu51");  // the second time too
  }
  CHECK(bench.count("python") == 1);
  CHECK(bench.count("worker") == 1);  // it measured nothing
}

TEST_CASE("AOTInductor: a model that has no trace says so in the worker's words", "[aoti]") {
  Bench bench;
  bench.worker_does = R"(echo '{"type":"error","kind":"unsupported","message":"it has no trace"}'; exit 1
)";
  CHECK(bench.measure().message == "it has no trace");
  CHECK(bench.measure().outcome == Outcome::unsupported);
  CHECK(bench.count("worker") == 1);
  CHECK(bench.calls("python").empty());
}

TEST_CASE("AOTInductor: what says nothing about the model is tried again", "[aoti]") {
  Bench bench;
  bench.python_does = "echo AOTInductor needs a C++ compiler >&2; exit 2\n";
  const auto without = bench.measure();
  CHECK(without.outcome == Outcome::crashed);
  CHECK(without.message ==
        "the Python that makes packages does not work: making its package: exit code 2: AOTInductor needs a C++ "
        "compiler");
  CHECK_FALSE(machine_trouble_of_worker(without.message).empty());
  bench.python_does = "kill -9 $$\n";
  CHECK(bench.measure().outcome == Outcome::out_of_memory);
  bench.python_does = "kill -6 $$\n";
  CHECK(bench.measure().outcome == Outcome::crashed);
  bench.python_does = R"(echo '{"type":"error","kind":"out_of_memory","message":"CUDA out of memory"}'; exit 1)";
  CHECK(bench.measure().outcome == Outcome::out_of_memory);
  bench.python_does = Bench().python_does;
  CHECK(bench.measure().outcome == Outcome::done);
  CHECK(bench.count("python") == 5);
}

TEST_CASE("AOTInductor: an answer that cannot be is a failure with words", "[aoti]") {
  Bench bench;
  bench.python_does = R"(echo '{"type":"error","kind":"done","message":""}'; exit 1)";
  const auto odd = bench.measure();
  CHECK(odd.outcome == Outcome::unsupported);
  CHECK(odd.message == "making its package: unsupported, without a message");
  Bench empty;
  empty.python_does = "exit 0\n";
  const auto nothing = empty.measure();
  CHECK(nothing.outcome == Outcome::crashed);
  CHECK(nothing.message == "making its package: it ended without a package");
}

TEST_CASE("AOTInductor: one that takes too long is unsupported, and leaves nothing behind", "[aoti]") {
  Bench bench;
  bench.aoti.time_limit = std::chrono::milliseconds(200);
  bench.python_does = "exec sleep 1000\n";
  const auto late = bench.measure();
  CHECK(late.outcome == Outcome::unsupported);
  CHECK(late.message.starts_with("making its package: ended after its limit of "));
  for (const auto& entry : std::filesystem::directory_iterator(bench.folder / "packages"))
    CHECK_FALSE(entry.is_directory());
  CHECK(bench.measure().outcome == Outcome::unsupported);
  CHECK(bench.count("python") == 2);  // once more, as the machine may have been busy
  CHECK(bench.measure().outcome == Outcome::unsupported);
  CHECK(bench.count("python") == 2);
  bench.aoti.time_limit = std::chrono::seconds(60);  // a longer limit asks again
  bench.python_does = Bench().python_does;
  CHECK(bench.measure().outcome == Outcome::done);
  CHECK(bench.count("python") == 3);
}

TEST_CASE("AOTInductor: a trace that took too long is asked for again where it may take longer", "[aoti]") {
  Bench bench;
  bench.settings.time_limit = std::chrono::milliseconds(200);
  bench.worker_does = "exec sleep 1000\n";
  for (int time = 0; time < 2; ++time)
    CHECK(bench.measure().message.starts_with("tracing it: ended after its limit of "));
  bench.worker_does = Bench().worker_does;
  bench.aoti.time_limit *= 2;  // of the other step
  CHECK(bench.measure().outcome == Outcome::unsupported);
  bench.settings.time_limit = std::chrono::seconds(60);
  CHECK(bench.measure().outcome == Outcome::done);
}

TEST_CASE("AOTInductor: what the machine lacks is not kept, and is not the build's doing", "[aoti]") {
  Bench bench;
  bench.python_does = "echo 'OSError: [Errno 28] No space left on device' >&2; exit 2\n";
  const auto full = bench.measure();
  CHECK(full.outcome == Outcome::crashed);
  CHECK_FALSE(machine_trouble_of_worker(full.message).empty());
  bench.python_does =
      R"(echo '{"type":"error","message":"AOTInductor cannot compile it: No space left on device"}'; exit 1)";
  CHECK(bench.measure().outcome == Outcome::crashed);
  // The compiler's words stand above the last line.
  bench.python_does =
      "printf 'g++: fatal error: Killed signal terminated program cc1plus\\nC++ compile error\\n' >&2\nexit 2\n";
  const auto killed = bench.measure();
  CHECK(killed.outcome == Outcome::crashed);
  CHECK(killed.details.find("Killed signal") != std::string::npos);
  bench.worker_does = "echo 'PytorchStreamWriter failed writing file data/0: file write failed' >&2\nexit 1\n";
  const auto untraced = bench.measure();
  CHECK(untraced.outcome == Outcome::crashed);
  CHECK_FALSE(machine_trouble_of_worker(untraced.message).empty());
  bench.worker_does = Bench().worker_does;
  bench.python_does = Bench().python_does;
  CHECK(bench.measure().outcome == Outcome::done);
}

TEST_CASE("AOTInductor: where a build has no package the two do not take turns", "[aoti]") {
  Bench bench;
  bench.python_does = "exit 2\n";
  Measurer measurer(bench.processes, bench.clock);
  const Suite suite = bench.suite();
  const auto pair =
      measurer.measure_alternately({bench.product, suite}, {bench.product, suite}, bench.measured, bench.settings, {});
  REQUIRE(pair);
  CHECK(pair->before.outcome == Outcome::crashed);
  CHECK(bench.count("python") == 4);  // before the turns for each, then alone: none within the turns
}

TEST_CASE("AOTInductor: no package is made for a timeline, as its code makes no calls", "[aoti]") {
  Bench bench;
  Measurer measurer(bench.processes, bench.clock);
  const auto timeline = measurer.timeline(bench.product, bench.suite(), bench.measured, bench.settings, "", {});
  REQUIRE_FALSE(timeline);
  CHECK(timeline.error().message == "aoti runs code that makes no calls of operators to record");
  CHECK(bench.calls("worker").empty());
}

TEST_CASE("AOTInductor: a package that was removed, or half written, is made again", "[aoti]") {
  Bench bench;
  bench.measure();
  const auto packages = bench.folder / "packages";
  for (const char* extension : {".pt2", ".json"}) {
    for (const auto& entry : std::filesystem::directory_iterator(packages)) {
      if (entry.path().extension() == extension) REQUIRE(write_file_atomically(entry.path(), ""));
    }
    CHECK(bench.measure().outcome == Outcome::done);
  }
  CHECK(bench.count("python") == 3);
}

TEST_CASE("AOTInductor: a build without Python, without its torch or without a compiler says what is missing",
          "[aoti]") {
  Bench bench;
  const auto reason = [&] { return package_maker(bench.aoti, bench.product, "/w/tbci-worker").unavailable_reason; };
  bench.suite();
  CHECK(reason().empty());
  bench.product.python.clear();
  CHECK(reason() ==
        "this build has no Python to make packages with: set `python` in [subject.aoti] to one with torch's "
        "dependencies");
  bench.aoti.python = bench.folder / "nowhere";
  CHECK(reason().starts_with("no Python at "));
  bench.aoti.python = bench.folder / "python";
  CHECK(reason().empty());
  std::filesystem::remove(bench.product.libtorch / "__init__.py");
  CHECK(reason().ends_with("torch is a LibTorch without Python, which has no AOTInductor"));
}

TEST_CASE("AOTInductor: the suite has the backend only where packages can be made", "[aoti]") {
  Bench bench;
  Measurer measurer(bench.processes, bench.clock);
  const auto backends = [&] {
    Suite suite = bench.suite();
    suite.program = {test::write_script(bench.folder / "lists", R"(echo '{"type":"hello","protocol":1}'
echo '{"type":"benchmark","name":"dlrm","configurations":["cpu-infer"],"backends":["eager","aoti"]}'
echo '{"type":"done"}'
)")
                         .string()};
    const auto listing = list_suites(measurer, {suite}, {});
    REQUIRE(listing);
    REQUIRE(listing->benchmarks.size() == 1);
    return std::pair(listing->benchmarks[0].backends, listing->no_packages);
  };
  CHECK(backends() == std::pair(std::vector{model::Backend::eager, model::Backend::aoti}, std::string()));
  bench.product.python.clear();
  CHECK(backends().first == std::vector{model::Backend::eager});
  CHECK(backends().second.starts_with("this build has no Python"));
}

}  // namespace tbci::aoti_package_test
