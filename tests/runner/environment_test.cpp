#include "runner/environment.hpp"

#include "runner/doctor.hpp"
#include "tests/catch.hpp"
#include "tests/runner/fixtures.hpp"
#include "tests/temporary_directory.hpp"

using namespace tbci;
using namespace tbci::runner;

namespace {

ProcessOutcome answer(const std::string& output, int exit_code = 0) {
  ProcessOutcome outcome;
  outcome.output = output;
  outcome.exit_code = exit_code;
  return outcome;
}

// A small machine of files.
struct Machine {
  test::TemporaryDirectory folder;
  std::string gpus;
  std::string compiler = "g++ (Debian 12.2.0-14) 12.2.0\nCopyright (C) 2022\n";
  test::ScriptedProcesses processes{[this](const Command& command) {
    if (command.arguments.front() == "c++") return answer(compiler);
    return answer(gpus, gpus.empty() ? 9 : 0);
  }};

  Machine() {
    put("proc/cpuinfo",
        "processor\t: 0\nmodel name\t: Fast CPU 3000\nmicrocode\t: 0x2b\nflags\t\t: fpu avx2 hypervisor\n");
    put("proc/meminfo", "MemTotal:       24617324 kB\nMemFree:          123 kB\n");
    put("proc/sys/kernel/osrelease", "6.1.0-20-amd64\n");
    put("proc/sys/kernel/randomize_va_space", "2\n");
    put("proc/self/cgroup", "0::/jobs/one\n");
    put("sys/fs/cgroup/jobs/cpu.max", "150000 100000\n");
    put("sys/fs/cgroup/jobs/one/cpu.max", "max 100000\n");
    put("sys/devices/system/cpu/online", "0-1\n");
    put("sys/devices/system/cpu/smt/active", "1\n");
    put("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
    put("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance\n");
    put("sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
    put("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
  }
  void put(const std::string& name, const std::string& text) { REQUIRE(write_file_atomically(folder / name, text)); }
  model::Environment read() { return read_environment(processes, {folder.path(), true}); }
};

const Check& named(const std::vector<Check>& checks, const std::string& name) {
  for (const Check& check : checks) {
    if (check.name == name) return check;
  }
  FAIL("no check " << name);
  return checks.front();
}

}  // namespace

TEST_CASE("read_environment: the facts of a machine", "[environment]") {
  Machine machine;
  const auto facts = machine.read().facts;
  CHECK(facts.at("cpu") == "Fast CPU 3000");
  CHECK(facts.at("microcode") == "0x2b");
  CHECK(facts.at("hypervisor") == "yes");
  CHECK(facts.at("kernel") == "6.1.0-20-amd64");
  CHECK(facts.at("memory") == "23.5 GiB");
  CHECK(facts.at("governor") == "performance,powersave");
  CHECK(facts.at("turbo") == "off");
  CHECK(facts.at("smt") == "1");
  CHECK(facts.at("huge_pages") == "madvise");
  CHECK(facts.at("cpu_limit") == "1.5");
  CHECK(facts.at("compiler") == "g++ (Debian 12.2.0-14) 12.2.0");
  CHECK_FALSE(facts.contains("gpu0.name"));
}

TEST_CASE("read_environment: what moves by itself does not change the fingerprint, what is changed does",
          "[environment]") {
  Machine machine;
  const auto before = machine.read();
  machine.put("proc/meminfo", "MemTotal:       24617000 kB\nMemFree:          99999 kB\n");
  machine.put("proc/loadavg", "3.5 1 1 1/2 3\n");
  CHECK(machine.read().fingerprint() == before.fingerprint());
  CHECK(readable_diff(before, machine.read()).empty());
  machine.put("proc/sys/kernel/osrelease", "6.5.0\n");
  machine.put("sys/devices/system/cpu/intel_pstate/no_turbo", "0\n");
  const auto after = machine.read();
  CHECK(after.fingerprint() != before.fingerprint());
  CHECK(readable_diff(before, after) == "kernel: 6.1.0-20-amd64 -> 6.5.0; turbo: off -> on");
}

TEST_CASE("read_environment: GPUs as nvidia-smi tells of them", "[environment]") {
  Machine machine;
  machine.gpus =
      "NVIDIA H200, 570.86.15, 96.00.A5, 143771, 1980, 3201, Enabled, Default, 700.00, Disabled\n"
      "NVIDIA H200, 570.86.15, 96.00.A5, 143771, [N/A], 3201, Enabled, Default, 700.00, Disabled\n";
  const auto facts = machine.read().facts;
  CHECK(facts.at("gpu0.name") == "NVIDIA H200");
  CHECK(facts.at("gpu0.clocks.max.sm") == "1980");
  CHECK_FALSE(facts.contains("gpu1.clocks.max.sm"));
  CHECK(facts.at("gpu1.persistence_mode") == "Enabled");
  CHECK(readable_diff({}, {{{"gpu0.name", "H200"}}}) == "gpu0.name: (unknown) -> H200");
}

TEST_CASE("read_environment: a machine that tells nothing still has an environment", "[environment]") {
  test::TemporaryDirectory nothing;
  test::ScriptedProcesses processes([](const Command&) { return answer("", 1); });
  const auto facts = read_environment(processes, {nothing.path(), true}).facts;
  CHECK_FALSE(facts.contains("cpu"));
  CHECK_FALSE(facts.contains("compiler"));
  CHECK_FALSE(cpu_limit(nothing.path()));
}

TEST_CASE("judge: a good machine is well, and each fault is found with its remedy", "[doctor]") {
  MachineFacts good;
  for (const char* tool : {"c++", "cmake", "ninja", "make", "git", "python3", "ccache", "mold", "ldd"})
    good.tools[tool] = "1.0";
  good.environment.facts = {{"governor", "performance"}, {"turbo", "off"}, {"smt", "0"}, {"huge_pages", "madvise"}};
  good.free_bytes = std::uint64_t{100} << 30;
  good.cpus = 4;
  good.counts_instructions = true;
  good.libtorch = "2.13.0+cpu";
  const DoctorSettings settings;
  const auto well = judge(good, settings);
  CHECK(worst(well) == Health::ok);
  for (const Check& check : well) CHECK(check.mend.empty());

  const auto health_of = [&](const std::string& name, const std::function<void(MachineFacts&)>& spoil) {
    MachineFacts bad = good;
    spoil(bad);
    const auto checks = judge(bad, settings);
    const Check& found = named(checks, name);
    CHECK_FALSE(found.mend.empty());
    CHECK(worst(checks) == found.health);
    return found.health;
  };
  CHECK(health_of("git", [](auto& facts) { facts.tools.erase("git"); }) == Health::problem);
  CHECK(health_of("mold", [](auto& facts) { facts.tools.erase("mold"); }) == Health::warning);
  CHECK(health_of("space", [](auto& facts) { facts.free_bytes = 1; }) == Health::problem);
  CHECK(health_of("libtorch", [](auto& facts) { facts.libtorch_trouble = "no"; }) == Health::problem);
  CHECK(health_of("governor", [](auto& facts) { facts.environment.facts["governor"] = "powersave"; }) ==
        Health::warning);
  CHECK(health_of("turbo", [](auto& facts) { facts.environment.facts["turbo"] = "on"; }) == Health::warning);
  CHECK(health_of("smt", [](auto& facts) { facts.environment.facts["smt"] = "1"; }) == Health::warning);
  CHECK(health_of("huge pages", [](auto& facts) { facts.environment.facts["huge_pages"] = "always"; }) ==
        Health::warning);
  CHECK(health_of("load", [](auto& facts) { facts.load = 3; }) == Health::warning);
  CHECK(health_of("other processes", [](auto& facts) { facts.busy = {{"x", 0.9}}; }) == Health::warning);
  CHECK(health_of("cpu limit", [](auto& facts) { facts.cpu_limit = 1.5; }) == Health::warning);
  CHECK(health_of("instruction counter", [](auto& facts) { facts.counts_instructions = false; }) == Health::warning);
  CHECK(health_of("gpu", [](auto& facts) {
          facts.environment.facts["gpu0.name"] = "H200";
          facts.environment.facts["gpu0.persistence_mode"] = "Disabled";
        }) == Health::warning);
}

TEST_CASE("gather_facts: this machine", "[doctor]") {
  SystemProcessRunner processes;
  test::TemporaryDirectory folder;
  DoctorSettings settings;
  settings.state = folder.path();
  settings.libtorch = folder / "no torch";
  settings.watched = std::chrono::milliseconds(20);
  const MachineFacts facts = gather_facts(processes, settings, {});
  CHECK(facts.tools.contains("git"));
  CHECK(facts.free_bytes > 0);
  CHECK(facts.cpus >= 1);
  CHECK_FALSE(facts.libtorch_trouble.empty());
  CHECK_FALSE(facts.environment.facts.at("kernel").empty());
}
