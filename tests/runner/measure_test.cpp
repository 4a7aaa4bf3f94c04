#include "runner/measure.hpp"

#include <algorithm>
#include <csignal>

#include "base/sandbox.hpp"
#include "runner/source/machine_trouble.hpp"
#include "tests/catch.hpp"
#include "tests/runner/measure_bench.hpp"

namespace tbci::measure_test {

using namespace tbci::runner;
using namespace tbci::test::worker_lines;
using model::Configuration;
using model::Outcome;

namespace {

struct Bench : test::MeasureBench {
  Result<model::Measurement> run(const std::string& script, std::stop_token stop = {}, model::Product product = {}) {
    Measurer measurer(processes, clock);
    return measurer.measure(product, native_suite(test::write_script(folder / "worker", script)),
                            {"dlrm", Configuration::cpu_infer}, settings, std::move(stop));
  }
  model::Measurement measured(const std::string& script) {
    const auto measurement = run(script);
    INFO((measurement ? std::string() : measurement.error().message));
    REQUIRE(measurement);
    return *measurement;
  }
};

bool says(const model::Measurement& measurement, const std::string& words) {
  return measurement.message.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("Measurer: returns the samples of a successful worker", "[measure]") {
  Bench bench;
  const auto measurement = bench.measured(hello + two_samples + done);
  CHECK(measurement.outcome == Outcome::done);
  CHECK(measurement.message.empty());
  CHECK(measurement.nanoseconds == std::vector<std::int64_t>{1000, 3000});
  CHECK(model::value_of(measurement, model::Metric::time) == 2000);
  CHECK(measurement.cpu_peak_bytes == 4096);
  CHECK(measurement.wall.count() > 0);
  CHECK(measurement.started.time_since_epoch().count() > 0);
}

TEST_CASE("Measurer: passes all settings to the worker, on its command line and in its environment", "[measure]") {
  Bench bench;
  bench.settings.threads = 3;
  bench.settings.batch = 7;
  bench.settings.cpus = {0};
  model::Product product;
  product.preload = {"/lib/one.so", "/lib/t w o.so"};
  const std::string record = (bench.folder / "record").string();
  const auto measurement =
      bench.run("printf '%s\\n' \"$@\" > " + record + "\necho $OMP_NUM_THREADS $MKL_NUM_THREADS >> " + record +
                    "\ngrep Cpus_allowed_list /proc/self/status >> " + record + "\n" + hello + two_samples + done,
                {}, product);
  REQUIRE(measurement);
  const std::string said = read_file(record).value();
  CHECK(
      said.starts_with("run\n--protocol\n1\n--benchmark\ndlrm\n--configuration\ncpu-infer\n--size\nci\n--batch\n7\n"
                       "--warmup\n3\n--iterations\n2\n--threads\n3\n--seed\n42\n"
                       "--preload\n/lib/one.so\n--preload\n/lib/t w o.so\n3 3\n"));
  CHECK(said.ends_with("Cpus_allowed_list:\t0\n"));
}

TEST_CASE("Measurer: a searched batch takes precedence over the configured one, only for its own case", "[measure]") {
  const model::Case dlrm{"dlrm", Configuration::cpu_infer}, bert{"bert", Configuration::cpu_infer};
  MeasureSettings settings;
  settings.batches = {{dlrm, 64}};
  CHECK(batch_of(settings, dlrm) == 64);
  CHECK_FALSE(batch_of(settings, bert));
  settings.batch = 7;
  CHECK(batch_of(settings, dlrm) == 64);
  CHECK(batch_of(settings, bert) == 7);
  const std::string command = describe(measure_command({}, native_suite("worker"), dlrm, settings));
  CHECK(command.find("--batch 64") != std::string::npos);
}

TEST_CASE("Measurer: requests a precision and expects the worker to confirm it", "[measure]") {
  Bench bench;
  bench.settings.precision = "bf16";
  const std::string confirmed =
      R"(echo '{"type":"hello","protocol":1,"benchmark":"dlrm","configuration":"cpu-infer","precision":"bf16"}')"
      "\n";
  const std::string record = (bench.folder / "record").string();
  const auto measurement = bench.measured("printf '%s ' \"$@\" > " + record + "\n" + confirmed + two_samples + done);
  CHECK(measurement.outcome == Outcome::done);
  CHECK(read_file(record).value().find("--precision bf16 ") != std::string::npos);
  // A worker that does not report a precision computes in 32 bits.
  CHECK(says(bench.measured(hello + two_samples + done), "computes in '' instead of bf16"));
  bench.settings.precision = "fp32";
  CHECK(bench.measured(hello + two_samples + done).outcome == Outcome::done);
  CHECK(says(bench.measured(confirmed + two_samples + done), "computes in 'bf16' instead of fp32"));
}

TEST_CASE("Measurer: requests a backend and expects the worker to confirm it", "[measure]") {
  model::Case frozen{"dlrm", with(model::Backend::jit_frozen, model::Configuration::cpu_infer)};
  MeasureSettings settings;
  settings.batches = {{{"dlrm", model::Configuration::cpu_infer}, 64}};
  const std::string command = describe(measure_command({}, native_suite("worker"), frozen, settings));
  CHECK(command.find("--configuration cpu-infer --backend jit-frozen ") != std::string::npos);
  CHECK(command.find("--batch 64") != std::string::npos);  // of the configuration, whatever runs it
  frozen.configuration.backend = model::Backend::eager;
  CHECK(describe(measure_command({}, native_suite("worker"), frozen, settings)).find("--backend") == std::string::npos);
}

TEST_CASE("Measurer: a crash is a measurement with the signal, the last error line and the samples so far",
          "[measure]") {
  Bench bench;
  const auto measurement =
      bench.measured(hello + two_samples + "echo 'first' >&2; echo 'double free' >&2; kill -SEGV $$");
  CHECK(measurement.outcome == Outcome::crashed);
  CHECK(says(measurement, "SIGSEGV"));
  CHECK(says(measurement, "double free"));
  CHECK_FALSE(says(measurement, "first"));
  CHECK(measurement.details == "first\ndouble free");
  CHECK(measurement.nanoseconds.size() == 2);
  CHECK_FALSE(model::value_of(measurement, model::Metric::time));
}

TEST_CASE("Measurer: of what a failed process printed the last lines are kept, each of them short", "[measure]") {
  Bench bench;
  const auto measurement = bench.measured(
      hello + "for i in $(seq 1 100); do echo line $i >&2; done; head -c 5000 /dev/zero | tr '\\0' x >&2; exit 9");
  CHECK(measurement.details.find("line 61\n") == std::string::npos);
  CHECK(measurement.details.starts_with("line 62\n"));
  CHECK(measurement.details.size() < 6000);
  CHECK(bench.measured(hello + two_samples + "echo said >&2\n" + done).details.empty());
}

TEST_CASE("Measurer: a crash in the middle of a line is a crash, not a protocol violation", "[measure]") {
  Bench bench;
  const auto measurement = bench.measured(hello + "printf '{\"type\":\"sam'; kill -ABRT $$");
  CHECK(measurement.outcome == Outcome::crashed);
  CHECK(says(measurement, "SIGABRT"));
}

TEST_CASE("Measurer: a crash after done fails the measurement", "[measure]") {
  Bench bench;
  const auto measurement = bench.measured(hello + two_samples + done + "kill -SEGV $$");
  CHECK(measurement.outcome == Outcome::crashed);
  CHECK(says(measurement, "after its last line"));
}

TEST_CASE("Measurer: stops a worker that hangs at the time limit, even after half a line", "[measure]") {
  Bench bench;
  bench.settings.time_limit = std::chrono::milliseconds(300);
  for (const char* half : {"", "printf '{\"type\":';"}) {
    const auto measurement = bench.measured(hello + half + "sleep 1000");
    CHECK(measurement.outcome == Outcome::timed_out);
    CHECK(says(measurement, "limit of 300 ms"));
  }
}

TEST_CASE("Measurer: stops the worker at the first malformed line and quotes it", "[measure]") {
  Bench bench;
  // Without the early stop each of these would run until its time limit.
  bench.settings.time_limit = std::chrono::hours(24);
  const auto words = bench.measured(hello + "echo hi there; exec sleep 100000");
  CHECK(words.outcome == Outcome::protocol);
  CHECK(says(words, "line 2"));
  CHECK(says(words, "hi there"));
  const auto flood = bench.measured("exec yes");
  CHECK(flood.outcome == Outcome::protocol);
  const auto no_newlines = bench.measured("head -c 3000000 /dev/zero; echo; exec sleep 100000");
  CHECK(no_newlines.outcome == Outcome::protocol);
  CHECK(says(no_newlines, "longer than 65536 bytes"));
}

TEST_CASE("Measurer: distinguishes an early end, a failed start and a rejected command line", "[measure]") {
  Bench bench;
  const auto early = bench.measured(hello + two_samples + "exit 0");
  CHECK(early.outcome == Outcome::crashed);
  CHECK(says(early, "without printing done"));
  const auto failed = bench.measured(hello + "echo 'libfoo.so: cannot open' >&2; exit 127");
  CHECK(failed.outcome == Outcome::crashed);
  CHECK(says(failed, "exit code 127"));
  CHECK(says(failed, "libfoo.so"));
  const auto refused = bench.measured("echo 'this worker speaks protocol 2, you ask for 1' >&2; exit 2");
  CHECK(refused.outcome == Outcome::protocol);
  CHECK(says(refused, "speaks protocol 2"));
}

TEST_CASE("Measurer: the worker's error line is the outcome", "[measure]") {
  Bench bench;
  const auto unsupported = bench.measured(
      hello + "echo '{\"type\":\"error\",\"kind\":\"unsupported\",\"message\":\"no CUDA device\"}'; exit 3");
  CHECK(unsupported.outcome == Outcome::unsupported);
  CHECK(unsupported.message == "no CUDA device");
}

TEST_CASE("Measurer: distinguishes running out of memory from a crash", "[measure]") {
  Bench bench;
  const auto killed = bench.measured(hello + "kill -KILL $$");
  CHECK(killed.outcome == Outcome::out_of_memory);
  CHECK(says(killed, "SIGKILL"));
#if !defined(__SANITIZE_ADDRESS__)
  bench.settings.memory_limit_bytes = std::uint64_t{256} << 20;
  const auto eater = bench.measured(hello +
                                    "dd if=/dev/zero of=/dev/null bs=1G count=1 2>&1 | head -1 >&2; "
                                    "echo 'std::bad_alloc: Cannot allocate memory' >&2; exit 1");
  CHECK(eater.outcome == Outcome::out_of_memory);
  CHECK(says(eater, "256 MiB"));
#endif
}

TEST_CASE("measure_command: passes the leak options only if leaks are looked for", "[measure]") {
  MeasureSettings settings;
  const auto text = [&] {
    return describe(measure_command({}, native_suite("worker"), {"dlrm", Configuration::cpu_infer}, settings));
  };
  CHECK(text().find("--leak") == std::string::npos);
  settings.leak_iterations = 50;
  settings.leak_time = std::chrono::milliseconds(1500);
  CHECK(text().find("--leak-iterations 50 --leak-milliseconds 1500") != std::string::npos);
}

TEST_CASE("measure_command: a GPU has a size of its own, warms up for a time, and is traced if asked", "[measure]") {
  MeasureSettings settings;
  settings.size = "ci";
  settings.gpu_size = "paper";
  settings.gpu_warmup_time = std::chrono::milliseconds(700);
  const auto text = [&](Configuration configuration) {
    return describe(measure_command({}, native_suite("worker"), {"dlrm", configuration}, settings));
  };
  const std::string on_gpu = text(Configuration::gpu_train);
  CHECK(on_gpu.find("--size paper") != std::string::npos);
  CHECK(on_gpu.find("--warmup-milliseconds 700") != std::string::npos);
  CHECK(on_gpu.find("--gpu-traced") == std::string::npos);
  settings.gpu_traced = 5;
  CHECK(text(Configuration::gpu_infer).find("--gpu-traced 5") != std::string::npos);
  const std::string on_cpu = text(Configuration::cpu_train);
  CHECK(on_cpu.find("--size ci") != std::string::npos);
  CHECK(on_cpu.find("milliseconds") == std::string::npos);
  CHECK(on_cpu.find("--gpu") == std::string::npos);
}

TEST_CASE("measure_command: limits the address space only in CPU configurations", "[measure]") {
  MeasureSettings settings;
  settings.memory_limit_bytes = std::uint64_t{256} << 20;
  for (const Configuration configuration : model::all_configurations) {
    const bool gpu = configuration == Configuration::gpu_train || configuration == Configuration::gpu_infer;
    CHECK(
        measure_command({}, native_suite("worker"), {"dlrm", configuration}, settings).memory_limit_bytes.has_value() ==
        !gpu);
  }
}

TEST_CASE("Measurer: a stop is an error and not a measurement, even after half a line", "[measure]") {
  Bench bench;
  std::stop_source stop;
  stop.request_stop();
  const auto stopped = bench.run(hello + "printf '{\"type'; sleep 1000", stop.get_token());
  REQUIRE_FALSE(stopped);
  CHECK(stopped.error().kind == ErrorKind::interrupted);
}

TEST_CASE("Measurer: a worker that cannot be started is an error", "[measure]") {
  Bench bench;
  Measurer measurer(bench.processes, bench.clock);
  const auto missing = measurer.measure({}, native_suite(bench.folder / "missing"), {"dlrm", Configuration::cpu_infer},
                                        bench.settings, {});
  REQUIRE_FALSE(missing);
  CHECK(missing.error().kind == ErrorKind::machine);
  bench.settings.iterations = 0;
  const auto none = bench.run("exit 0");
  REQUIRE_FALSE(none);
  CHECK(none.error().kind == ErrorKind::usage);
}

TEST_CASE("Measurer: adds the suite's prefix to its names, and never passes it to the program", "[measure]") {
  Bench bench;
  Measurer measurer(bench.processes, bench.clock);
  const auto program = test::write_script(
      bench.folder / "worker",
      "echo '{\"type\":\"hello\",\"protocol\":1,\"benchmark\":\"dlrm\",\"configuration\":\"cpu-infer\"}'\n"
      "case \"$*\" in\n"
      "'any list --protocol 1 --models here') echo '{\"type\":\"benchmark\",\"name\":\"dlrm\",\"configurations\":[]}' "
      ";;\n"
      "'any run --protocol 1 --models here --benchmark dlrm '*) ;;\n"
      "*) exit 2 ;;\nesac\necho '{\"type\":\"done\"}'\n");
  const Suite suite{.prefix = "mine.", .program = {program.string(), "any"}, .options = {"--models", "here"}};
  const auto listed = measurer.list_benchmarks(suite, {});
  REQUIRE(listed);
  REQUIRE(listed->size() == 1);
  CHECK(listed->front().name == "mine.dlrm");
  const auto measured = measurer.measure({}, suite, {"mine.dlrm", Configuration::cpu_infer}, bench.settings, {});
  REQUIRE(measured);
  CHECK(measured->measured.benchmark == "mine.dlrm");
  CHECK(measured->message.find("it measures") == std::string::npos);
  CHECK_FALSE(suite.own_name("dlrm").has_value());
}

TEST_CASE("Measurer: lists the benchmarks of a worker", "[measure]") {
  Bench bench;
  Measurer measurer(bench.processes, bench.clock);
  const auto worker =
      test::write_script(bench.folder / "worker",
                         "test \"$*\" = 'list --protocol 1' || exit 2\necho '{\"type\":\"hello\",\"protocol\":1}'\n"
                         "echo '{\"type\":\"benchmark\",\"name\":\"dlrm\",\"configurations\":[\"cpu-infer\"]}'\necho "
                         "'{\"type\":\"done\"}'\n");
  const auto benchmarks = measurer.list_benchmarks(native_suite(worker), {});
  REQUIRE(benchmarks);
  CHECK(benchmarks->front().name == "dlrm");
  const auto broken = test::write_script(bench.folder / "broken", "echo 'cannot load libtorch' >&2; exit 1");
  const auto failed = measurer.list_benchmarks(native_suite(broken), {});
  REQUIRE_FALSE(failed);
  CHECK(failed.error().message.find("cannot load libtorch") != std::string::npos);
}

TEST_CASE("Measurer: a list that hangs is the suite's fault, one that the kernel kills is not", "[measure]") {
  const auto kind_of = [](const ProcessOutcome& ended) {
    test::ScriptedProcesses processes([&](const Command&) { return ended; });
    const SystemClock clock;
    Measurer measurer(processes, clock);
    return measurer.list_benchmarks(native_suite("worker"), {}).error().kind;
  };
  ProcessOutcome killed;
  killed.signal = SIGKILL;
  killed.exit_code = 128 + SIGKILL;
  CHECK(kind_of(killed) == ErrorKind::machine);
  ProcessOutcome hanging = killed;  // tbci ended it
  hanging.timed_out = true;
  CHECK(kind_of(hanging) == ErrorKind::failed);
  hanging.left_behind = true;
  CHECK(kind_of(hanging) == ErrorKind::machine);
}

TEST_CASE("Measurer: a worker that cannot be killed is the machine's fault and not the build's", "[measure]") {
  ProcessOutcome hanging;
  hanging.signal = SIGKILL;
  hanging.exit_code = 128 + SIGKILL;
  hanging.timed_out = hanging.left_behind = true;
  test::ScriptedProcesses processes([&](const Command&) { return hanging; });
  const SystemClock clock;
  Measurer measurer(processes, clock);
  const auto measured = measurer.measure({}, native_suite("worker"), {"dlrm", Configuration::gpu_infer}, {}, {});
  REQUIRE(measured);
  CHECK(measured->outcome == Outcome::crashed);
  CHECK(measured->message.starts_with("it cannot be killed and was left behind"));
  CHECK(machine_trouble_of_worker(measured->message).starts_with("a process hangs in the kernel"));
  const auto profile = measurer.profile({}, native_suite("worker"), {"dlrm", Configuration::gpu_infer}, {}, {});
  REQUIRE_FALSE(profile);
  CHECK(profile.error().kind == ErrorKind::machine);
}

TEST_CASE("Measurer: a worker has an empty home, writes nowhere else and reads no secret", "[measure][escape]") {
  if (sandbox_support().version == 0) {
    WARN("skipped: " << sandbox_support().missing);
    return;
  }
  Bench bench;
  const auto worker = test::write_script(
      bench.folder / "worker", "echo evil > $HOME/.pth && echo evil > $TMPDIR/t && touch " +
                                   (bench.folder / "planted").string() + " 2>/dev/null && exit 9\ncat " +
                                   (bench.folder / "secret").string() + " && exit 8\n" + hello + two_samples + done);
  REQUIRE(write_file_atomically(bench.folder / "secret", "secret\n"));
  Measurer measurer(bench.processes, bench.clock,
                    {.folder = bench.folder / "private", .hidden = {bench.folder / "secret"}});
  const auto measured =
      measurer.measure({}, native_suite(worker), {"dlrm", Configuration::cpu_infer}, bench.settings, {});
  REQUIRE(measured);
  INFO(measured->message);
  CHECK(measured->outcome == Outcome::done);
  CHECK_FALSE(std::filesystem::exists(bench.folder / "planted"));
  CHECK(std::filesystem::is_empty(bench.folder / "private/homes"));
}

}  // namespace tbci::measure_test
