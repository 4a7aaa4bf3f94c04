#include "runner/doctor.hpp"

#include <cerrno>

#include "tests/fakes/manual_clock.hpp"
#include "tests/runner/file_machine.hpp"
#include "tests/runner/fixtures.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::doctor_test {

using namespace tbci::runner;
using test::answer;
using test::FileMachine;

namespace {

const Check& named(const std::vector<Check>& checks, const std::string& name) {
  for (const Check& check : checks) {
    if (check.name == name) return check;
  }
  FAIL("no check " << name);
  return checks.front();
}

MachineFacts good_facts() {
  MachineFacts good;
  for (const char* tool : {"c++", "cmake", "ninja", "make", "git", "python3", "ccache", "mold", "ldd"})
    good.tools[tool] = "1.0";
  good.environment.facts = {{"governor", "performance"}, {"turbo", "off"},       {"smt", "0"},
                            {"huge_pages", "madvise"},   {"clocksource", "tsc"}, {"aslr", "2"}};
  good.free_bytes = std::uint64_t{100} << 30;
  good.memory_bytes = std::uint64_t{16} << 30;
  good.cpus = {0, 1, 2, 3};
  good.counter = {.counts = true, .why = {}, .remedy = {}};
  good.libtorch = "2.13.0+cpu";
  good.sandbox = {.version = 7, .missing = ""};
  good.libraries = {{"/torch/lib/libgomp.so.1", "/usr/lib/libc.so.6"}};
  return good;
}

using Spoil = std::function<void(MachineFacts&)>;

// The check that finds the fault. No other check may fail.
Check found(const std::string& name, const Spoil& spoil, const DoctorSettings& settings = {}) {
  MachineFacts bad = good_facts();
  spoil(bad);
  const auto checks = judge(bad, settings);
  for (const Check& check : checks) {
    INFO(check.name << ": " << check.what);
    CHECK((check.health != Health::ok) == (check.name == name));
    CHECK((check.health == Health::ok) == check.remedy.empty());
  }
  CHECK(worst(checks) == named(checks, name).health);
  return named(checks, name);
}

Spoil with_fact(const std::string& name, const std::string& value) {
  return [=](MachineFacts& facts) { facts.environment.facts[name] = value; };
}

}  // namespace

TEST_CASE("judge: a well configured machine passes every check", "[doctor]") {
  const auto well = judge(good_facts(), {});
  CHECK(worst(well) == Health::ok);
  for (const Check& check : well) {
    CHECK(check.remedy.empty());
    CHECK_FALSE(check.what.empty());
  }
}

TEST_CASE("judge: a fault that stops tbci is a problem", "[doctor]") {
  CHECK(found("git", [](auto& facts) { facts.tools.erase("git"); }).health == Health::problem);
  CHECK(found("mold", [](auto& facts) { facts.tools.erase("mold"); }).health == Health::warning);
  CHECK(found("space", [](auto& facts) { facts.free_bytes = 1; }).health == Health::problem);
  const Check none = found("sandbox", [](auto& facts) { facts.sandbox = judge_sandbox(-ENOSYS); });
  CHECK(none.health == Health::warning);
  CHECK(none.what.find("no Landlock") != std::string::npos);
  CHECK(none.what.find("its database") != std::string::npos);
  CHECK(found("sandbox", [](auto& facts) { facts.sandbox = judge_sandbox(2); }).what.find("cut files") !=
        std::string::npos);
  CHECK(found("libtorch", [](auto& facts) { facts.libtorch_trouble = "no"; }).health == Health::problem);
}

TEST_CASE("judge: a Python without pip is a problem where it installs nightlies", "[doctor]") {
  DoctorSettings settings;
  CHECK(named(judge(good_facts(), settings), "pip").what == "not used here");
  settings.python = "python3";
  CHECK(named(judge(good_facts(), settings), "pip").what == "python3 has pip and venv");
  const Check none = found(
      "pip", [](auto& facts) { facts.python_trouble = "python3: No module named 'pip'"; }, settings);
  CHECK(none.health == Health::problem);
  CHECK(none.remedy.find("python3-pip") != std::string::npos);
}

TEST_CASE("gather_facts: asks the Python that installs nightlies for what it needs", "[doctor]") {
  test::TemporaryDirectory folder;
  const test::ManualClock clock;
  SystemProcessRunner processes;
  DoctorSettings settings;
  settings.sampling_time = {};
  settings.python =
      test::write_script(folder / "python", "echo \"ModuleNotFoundError: No module named 'pip'\" >&2; exit 1\n");
  CHECK(gather_facts(processes, clock, settings, {}).python_trouble ==
        settings.python + ": ModuleNotFoundError: No module named 'pip'");
  settings.python = test::write_script(folder / "good", "exit 0\n");
  CHECK(gather_facts(processes, clock, settings, {}).python_trouble.empty());
}

TEST_CASE("judge: a missing uv is a problem only where a subject insists on it", "[doctor]") {
  const auto said = [](const std::optional<std::string>& uv, WheelUnpacker wanted) {
    MachineFacts facts = good_facts();
    facts.uv = uv;
    DoctorSettings settings;
    settings.unpacker = wanted;
    return named(judge(facts, settings), "uv");
  };
  CHECK(said("0.13.9", WheelUnpacker::fastest).what == "0.13.9: unpacks the wheels of nightlies");
  CHECK(said({}, WheelUnpacker::fastest).what == "not installed: pip unpacks the wheels of nightlies");
  CHECK(said("0.3.0", WheelUnpacker::fastest).what.starts_with("0.3.0 is older than 0.4.0"));
  CHECK(said("0.13.9", WheelUnpacker::pip).what == "not used here");
  for (const auto wanted : {WheelUnpacker::fastest, WheelUnpacker::pip}) CHECK(said({}, wanted).health == Health::ok);
  CHECK(said({}, WheelUnpacker::uv).health == Health::problem);
  CHECK(said("0.13.9", WheelUnpacker::uv).health == Health::ok);
}

TEST_CASE("judge: reports each fault of the processor and the command that fixes it", "[doctor]") {
  CHECK(found("governor", with_fact("governor", "powersave")).remedy == "cpupower frequency-set -g performance");
  CHECK(found("governor", with_fact("governor", "performance on CPU 0, powersave on CPU 1")).health == Health::warning);
  CHECK(found("turbo", with_fact("turbo", "on")).remedy == "echo 0 > /sys/devices/system/cpu/cpufreq/boost");
  CHECK(found("turbo", [](auto& facts) {
          facts.environment.facts["turbo"] = "on";
          facts.environment.facts["cpu_driver"] = "intel_pstate";
        }).remedy == "echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo");
  CHECK(found("turbo", with_fact("turbo", "1")).health == Health::warning);
  CHECK(found("clock source", with_fact("clocksource", "hpet")).what ==
        "hpet: reading the time takes a system call in every iteration");
  CHECK(found("cpus", [](auto& facts) { facts.cpus = {0}; }).what ==
        "one: benchmarks share it with the system and with tbci, so every interruption adds to their times");
  DoctorSettings many;
  many.threads = 8;
  CHECK(found(
            "cpus", [](auto&) {}, many)
            .what == "4, but a worker has 8 threads");
}

TEST_CASE("judge: names a CPU of [runner] cpus that tbci may not use", "[doctor]") {
  DoctorSettings settings;
  settings.worker_cpus = {2, 9, 11};
  const Check unusable = found(
      "cpus", [](auto&) {}, settings);
  CHECK(unusable.health == Health::problem);
  CHECK(unusable.what == "[runner] cpus names CPU 9, 11, which tbci may not use");
  CHECK(unusable.remedy == "choose from 0, 1, 2, 3 in [runner] cpus, or leave it out");
  settings.worker_cpus = {2};
  CHECK(named(judge(good_facts(), settings), "cpus").health == Health::ok);
  settings.threads = 2;
  CHECK(found(
            "cpus", [](auto&) {}, settings)
            .what == "a worker has 2 threads on the 1 CPU of [runner] cpus: they wait for each other");
}

TEST_CASE("judge: names a busy CPU that shares a core with the measured CPU", "[doctor]") {
  DoctorSettings settings;
  settings.worker_cpus = {3};
  const auto shared = [](MachineFacts& facts) {
    facts.environment.facts["smt"] = "1";
    facts.siblings = {{3, {7}}, {2, {6}}};
    facts.load_sample.cpus = {{6, 0.9}, {7, 0.42}};
  };
  CHECK(found("smt", shared, settings).what ==
        "on: CPU 3 shares its core with CPU 7, which was busy for 42% of the time");
  CHECK(found("smt", with_fact("smt", "1"), settings).what == "on: two threads share a core and slow each other down");
}

TEST_CASE("judge: reports each fault of the memory", "[doctor]") {
  CHECK(found("huge pages", with_fact("huge_pages", "always")).remedy ==
        "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled");
  CHECK(found("address layout", with_fact("aslr", "0")).remedy == "sysctl kernel.randomize_va_space=2");
  CHECK(found("swap", [](auto& facts) { facts.swapped_bytes = std::uint64_t{1} << 30; }).remedy == "swapoff -a");
  CHECK(found("memory", [](auto& facts) { facts.group.memory_bytes = std::uint64_t{1} << 30; }).what ==
        "1 GiB for the control group: the kernel kills a compiler or a model that needs more; at least 4 GiB are "
        "recommended");
  CHECK(found("memory", [](auto& facts) { facts.memory_bytes = std::uint64_t{1} << 30; }).health == Health::warning);
  // A limit above the memory of the machine has no effect.
  MachineFacts roomy = good_facts();
  roomy.group.memory_bytes = std::uint64_t{64} << 30;
  CHECK(named(judge(roomy, {}), "memory").what == "16 GiB");
}

TEST_CASE("judge: reports other processes and the limits of a container", "[doctor]") {
  CHECK(found("load", [](auto& facts) { facts.load = 3; }).health == Health::warning);
  CHECK(found("other processes", [](auto& facts) {
          facts.load_sample.busy = {{"x (5)", 0.9}};
        }).what == "x (5) uses 90%");
  CHECK(found("cpu limit", [](auto& facts) { facts.group.cpus = 1.5; }).what ==
        "1.5 CPUs for the control group: the scheduler stops a process that has used up its share, for up to 0.1 s");
  CHECK(found("cpu limit", [](auto& facts) {
          facts.group.cpus = 4;
          facts.group.throttled = 7;
        }).what.find("throttled 7 times") != std::string::npos);
  CHECK(found("stolen time", [](auto& facts) { facts.load_sample.stolen = 0.05; }).what ==
        "5.0% of the CPU time went to other virtual machines of the host");
}

TEST_CASE("judge: reports two OpenMP runtimes in one worker, and a worker that does not list its libraries",
          "[doctor]") {
  const auto mixed = [](MachineFacts& facts) {
    facts.libraries = {{"/torch/lib/libgomp.so.1", "/opt/intel/libiomp5.so", "/usr/lib/libc.so.6"}};
  };
  CHECK(found("libraries", mixed).what ==
        "a worker loads 2 OpenMP runtimes, each with its own threads: /torch/lib/libgomp.so.1, "
        "/opt/intel/libiomp5.so");
  CHECK(found("libraries", [](auto& facts) { facts.libraries_trouble = "exit code 2"; }).health == Health::warning);
  MachineFacts none = good_facts();
  none.libraries.reset();
  CHECK(named(judge(none, {}), "libraries").health == Health::ok);
}

TEST_CASE("explain: says why instructions are not counted, and how to change that", "[doctor]") {
  CHECK(explain({.error = EACCES, .paranoid = 3}).why ==
        "kernel.perf_event_paranoid is 3: only root may count instructions");
  CHECK(explain({.error = EACCES, .paranoid = 3}).remedy == "sysctl kernel.perf_event_paranoid=2");
  CHECK(explain({.error = EPERM, .paranoid = 2, .filtered = true}).why ==
        "a seccomp filter (of a container) blocks perf_event_open");
  CHECK(explain({.error = ENOSYS, .filtered = true}).remedy.find("--cap-add PERFMON") != std::string::npos);
  CHECK(explain({.error = ENOSYS}).why == "this kernel was built without perf_event_open");
  CHECK(explain({.error = ENOENT, .virtual_machine = true}).why ==
        "the virtual machine does not expose the processor's counters");
  CHECK(explain({.error = 0, .virtual_machine = true}).why == "the virtual machine's counter does not advance");
  CHECK(explain({.error = 0}).why == "the counter opens but does not advance");
  CHECK(explain({.error = ENODEV}).why.find("cannot be used") != std::string::npos);
  for (const int error : {0, EACCES, EPERM, ENOSYS, ENOENT, ENODEV, EBUSY}) {
    CHECK_FALSE(explain({.error = error}).counts);
    CHECK_FALSE(explain({.error = error}).remedy.empty());
  }
  CHECK(found("instruction counter", [](auto& facts) { facts.counter = explain({.error = ENOENT}); }).health ==
        Health::warning);
}

TEST_CASE("cpu_times: reads busy, idle and stolen ticks from /proc/stat", "[doctor]") {
  const auto times = cpu_times("cpu  10 20 30 400 5 6 7 80 9 9\ncpu0 1 2 3 4\nintr 5 6\ncpufreq\n");
  REQUIRE(times.size() == 2);
  CHECK(times.at(-1).busy == 73);
  CHECK(times.at(-1).idle == 405);
  CHECK(times.at(-1).stolen == 80);
  CHECK(times.at(0).stolen == 0);
}

TEST_CASE("gather_facts: reads a machine made of files", "[doctor]") {
  FileMachine machine;
  machine.put("proc/loadavg", "1.25 1 1 1/2 3\n");
  machine.put("proc/stat", "cpu  1 0 0 9 0 0 0 0\ncpu0 1 0 0 9 0 0 0 0\n");
  machine.put("proc/meminfo", "MemTotal: 8388608 kB\nSwapTotal: 1048576 kB\nSwapFree: 524288 kB\n");
  machine.put("proc/self/status", "Cpus_allowed_list:\t1\n");
  machine.put("sys/fs/cgroup/jobs/memory.max", "1073741824\n");
  DoctorSettings settings;
  settings.root = machine.folder.path();
  settings.state = machine.folder.path();
  settings.worker_cpus = {1};
  const MachineFacts facts = gather_facts(machine.processes, test::ManualClock(), settings, {});
  CHECK(facts.load == 1.25);
  CHECK(facts.cpus == std::vector{1});
  CHECK(facts.memory_bytes == std::uint64_t{8} << 30);
  CHECK(facts.swapped_bytes == std::uint64_t{512} << 20);
  CHECK(facts.group.memory_bytes == std::uint64_t{1} << 30);
  CHECK(facts.siblings == std::map<int, std::vector<int>>{{0, {1}}, {1, {0}}});
  const auto checks = judge(facts, settings);
  for (const char* name : {"governor", "smt", "cpus", "swap", "memory", "cpu limit"}) {
    INFO(name);
    CHECK(named(checks, name).health == Health::warning);
  }
}

TEST_CASE("gather_facts: reads this machine", "[doctor]") {
  SystemProcessRunner processes;
  test::TemporaryDirectory folder;
  DoctorSettings settings;
  settings.state = folder.path();
  settings.libtorch = folder / "no torch";
  settings.sampling_time = std::chrono::milliseconds(20);
  const MachineFacts facts = gather_facts(processes, SystemClock(), settings, {});
  CHECK(facts.tools.contains("git"));
  CHECK(facts.free_bytes > 0);
  CHECK(facts.cpus == allowed_cpus());
  CHECK(facts.counter.counts == facts.counter.why.empty());
  CHECK_FALSE(facts.libtorch_trouble.empty());
  CHECK_FALSE(facts.environment.facts.at("kernel").empty());
}

TEST_CASE("latest_worker: ignores a worker whose build did not finish", "[doctor]") {
  test::TemporaryDirectory state;
  CHECK(latest_worker(state.path()).empty());
  REQUIRE(write_file_atomically(state / "workers/half/tbci-worker", ""));
  CHECK(latest_worker(state.path()).empty());
  for (const char* name : {"old", "new"}) {
    REQUIRE(write_file_atomically(state / "workers" / name / "tbci-worker", ""));
    REQUIRE(write_file_atomically(state / "workers" / name / ".complete", ""));
  }
  std::filesystem::last_write_time(state / "workers/old/.complete",
                                   std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  CHECK(latest_worker(state.path()) == state / "workers/new/tbci-worker");
}

}  // namespace tbci::doctor_test
