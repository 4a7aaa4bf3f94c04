#include "runner/environment.hpp"

#include <string>
#include <vector>

#include "base/process_environment.hpp"
#include "runner/environment/control_group.hpp"
#include "runner/environment/fact_reader.hpp"
#include "runner/environment/facts.hpp"
#include "runner/environment/readable_diff.hpp"
#include "tests/environment_variable.hpp"
#include "tests/runner/file_machine.hpp"

namespace tbci::environment_test {

using namespace tbci::runner;
using test::answer;
using test::FileMachine;

namespace {

model::Environment facts(std::map<std::string, std::string> values) {
  return model::Environment{std::move(values)};
}

}  // namespace

TEST_CASE("read_environment: reads the facts of a machine", "[environment]") {
  FileMachine machine;
  machine.variables = {{"MALLOC_ARENA_MAX", "1"},    {"OMP_NUM_THREADS", "7"}, {"OMP_PROC_BIND", "close"},
                       {"LD_PRELOAD", "/lib/je.so"}, {"HOME", "mine"},         {"TORCH_API_TOKEN", "hush"},
                       {"GLIBC_TUNABLES", ""}};
  const auto read = machine.read().facts;
  CHECK(read.at("cpu") == "Fast CPU 3000");
  CHECK(read.at("microcode") == "0x2b");
  CHECK(read.at("hypervisor") == "yes");
  CHECK(read.at("kernel") == "6.1.0-20-amd64");
  CHECK(read.at("memory") == "23.5 GiB");
  CHECK(read.at("governor") == "powersave");
  CHECK(read.at("turbo") == "off");
  CHECK(read.at("smt") == "1");
  CHECK(read.at("huge_pages") == "madvise");
  CHECK(read.at("huge_pages_defrag") == "madvise");
  CHECK(read.at("mitigations").size() == 16);
  CHECK(read.at("cpu_limit") == "1.5");
  CHECK(read.at("cpus_allowed") == "0-1");
  CHECK(read.at("compiler") == "g++ (Debian 12.2.0-14) 12.2.0");
  CHECK_FALSE(read.contains("compiler.cuda"));
  CHECK_FALSE(read.contains("gpu0.name"));
  CHECK_FALSE(read.contains("memory_limit"));
  // Only variables that control a worker, without those that the measurer sets, and without secrets.
  CHECK(read.at("variable MALLOC_ARENA_MAX") == "1");
  CHECK(read.at("variable OMP_PROC_BIND") == "close");
  CHECK(read.at("variable LD_PRELOAD") == "/lib/je.so");
  CHECK(read.at("variable GLIBC_TUNABLES") == "(empty)");
  for (const char* name : {"OMP_NUM_THREADS", "HOME", "TORCH_API_TOKEN"})
    CHECK_FALSE(read.contains(std::string("variable ") + name));
}

TEST_CASE("compiler_version: is that of the compiler which children use", "[environment]") {
  std::vector<std::vector<std::string>> asked;
  test::ScriptedProcesses processes([&](const Command& command) {
    asked.push_back(command.arguments);
    return answer("a compiler 16\n", 0);
  });
  test::EnvironmentVariable chosen("CXX", "clang++-16  -m64");
  CHECK(compiler_version(processes) == "a compiler 16");
  chosen.set(" ");
  CHECK(compiler_version(processes) == "a compiler 16");
  chosen.set(std::nullopt);
  CHECK(compiler_version(processes) == "a compiler 16");
  CHECK(asked == std::vector<std::vector<std::string>>{
                     {"clang++-16", "-m64", "--version"}, {"c++", "--version"}, {"c++", "--version"}});
}

TEST_CASE("cuda_compiler_version: is that of the first nvcc which runs, where CMake looks", "[environment]") {
  std::vector<std::string> asked;
  std::string there = "nvcc";
  test::ScriptedProcesses processes([&](const Command& command) {
    CHECK(command.arguments.back() == "--version");
    if (asked.empty() || asked.back() != command.arguments.front()) asked.push_back(command.arguments.front());
    return command.arguments.front() == there ? answer("nvcc: NVIDIA\nBuild cuda_13.0\n", 0) : answer("", 127);
  });
  test::EnvironmentVariable chosen("CUDACXX", "/opt/nvcc"), home("CUDA_HOME", "/opt/cuda"), path("CUDA_PATH", "");
  CHECK(cuda_compiler_version(processes) == "nvcc: NVIDIA Build cuda_13.0");
  CHECK(asked == std::vector<std::string>{"/opt/nvcc", "/opt/cuda/bin/nvcc", "nvcc"});
  asked.clear();
  there = "none";
  chosen.set(std::nullopt);
  home.set(std::nullopt);
  path.set("/opt/path");
  CHECK(cuda_compiler_version(processes) == "");
  CHECK(asked == std::vector<std::string>{"/opt/path/bin/nvcc", "nvcc", "/usr/local/cuda/bin/nvcc"});
}

TEST_CASE("read_environment: only changes of the setup change the fingerprint, fluctuations do not", "[environment]") {
  FileMachine machine;
  const auto before = machine.read();
  machine.put("proc/meminfo", "MemTotal:       24617000 kB\nMemFree:          99999 kB\n");
  machine.put("proc/loadavg", "3.5 1 1 1/2 3\n");
  machine.put("sys/fs/cgroup/jobs/cpu.stat", "nr_throttled 9\n");
  CHECK(machine.read().fingerprint() == before.fingerprint());
  CHECK(readable_diff(before, machine.read()).empty());
  machine.put("proc/sys/kernel/osrelease", "6.5.0\n");
  machine.put("sys/devices/system/cpu/intel_pstate/no_turbo", "0\n");
  auto after = machine.read();
  CHECK(after.fingerprint() != before.fingerprint());
  CHECK(readable_diff(before, after) == "turbo is on instead of off; the kernel is 6.5.0 instead of 6.1.0-20-amd64");
  machine.cuda_compiler = "nvcc: NVIDIA (R) Cuda compiler driver\nBuild cuda_12.9\n";
  const auto older = machine.read();
  CHECK(older.fingerprint() != after.fingerprint());
  machine.cuda_compiler = "Build cuda_13.0\n";
  after = machine.read();
  CHECK(readable_diff(older, after) ==
        "the CUDA compiler is Build cuda_13.0 instead of nvcc: NVIDIA (R) Cuda compiler driver Build cuda_12.9");
}

TEST_CASE("read_environment: lists CPUs that differ", "[environment]") {
  FileMachine machine;
  machine.put("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance\n");
  machine.put("sys/devices/system/cpu/cpu2/cpufreq/scaling_governor", "performance\n");
  CHECK(machine.read().facts.at("governor") == "performance on CPUs 1-2, powersave on CPU 0");
}

TEST_CASE("read_environment: reads GPUs from nvidia-smi", "[environment]") {
  FileMachine machine;
  machine.gpu_answers["name,driver_version"] =
      "NVIDIA H200, 570.86.15, 96.00.A5, 143771, 1980, 3201, Enabled, Default, 700.00, Disabled\n"
      "NVIDIA H200, 570.86.15, 96.00.A5, 143771, [N/A], 3201, Enabled, Default, 700.00, Disabled\n";
  auto read = machine.read().facts;
  CHECK(read.at("gpu0.name") == "NVIDIA H200");
  CHECK(read.at("gpu0.clocks.max.sm") == "1980");
  CHECK_FALSE(read.contains("gpu1.clocks.max.sm"));
  CHECK(read.at("gpu1.persistence_mode") == "Enabled");
  CHECK_FALSE(read.contains("gpu0.ecc.mode.current"));  // an older driver refuses that question: the rest is there
  machine.gpu_answers["clocks.applications"] = "1500, 3201, Enabled, 5, 16\n[N/A], [N/A], Enabled, 5, 16\n";
  read = machine.read().facts;
  CHECK(read.at("gpu0.clocks.applications.graphics") == "1500");
  CHECK(read.at("gpu1.ecc.mode.current") == "Enabled");
}

TEST_CASE("read_environment: a program that fails once costs no fact", "[environment]") {
  test::TemporaryDirectory nothing;
  std::map<std::string, int> asked;
  test::ScriptedProcesses processes([&](const Command& command) {
    if (++asked[command.arguments.front()] == 1) return answer("", 1);
    return answer(command.arguments.front() == "nvidia-smi" ? "NVIDIA H200, 570.86.15, 96.00.A5, 143771, 1980, 3201, "
                                                              "Enabled, Default, 700.00, Disabled\n"
                                                            : "c++ 16.1\n",
                  0);
  });
  const auto read =
      read_environment(processes,
                       {.root = nothing.path(), .ask_gpu = true, .variables = std::map<std::string, std::string>()})
          .facts;
  CHECK(read.at("compiler") == "c++ 16.1");
  CHECK(read.at("gpu0.name") == "NVIDIA H200");
}

TEST_CASE("read_environment: works on a machine without readable facts", "[environment]") {
  test::TemporaryDirectory nothing;
  test::ScriptedProcesses processes([](const Command&) { return answer("", 1); });
  const auto read =
      read_environment(processes,
                       {.root = nothing.path(), .ask_gpu = true, .variables = std::map<std::string, std::string>()})
          .facts;
  CHECK_FALSE(read.contains("cpu"));
  CHECK_FALSE(read.contains("compiler"));
  const GroupLimits limits = group_limits(nothing.path());
  CHECK_FALSE(limits.cpus);
  CHECK_FALSE(limits.memory_bytes);
}

TEST_CASE("group_limits: the tightest limit of all parent groups, in both versions", "[environment]") {
  FileMachine machine;
  machine.put("sys/fs/cgroup/memory.max", "max\n");
  machine.put("sys/fs/cgroup/jobs/memory.max", "2147483648\n");
  machine.put("sys/fs/cgroup/jobs/one/memory.max", "4294967296\n");
  machine.put("sys/fs/cgroup/jobs/cpuset.cpus.effective", "0-1\n");
  machine.put("sys/fs/cgroup/jobs/one/cpuset.cpus.effective", "1\n");
  machine.put("sys/fs/cgroup/jobs/cpu.stat", "usage_usec 5\nnr_periods 10\nnr_throttled 3\n");
  GroupLimits limits = group_limits(machine.folder.path());
  CHECK(limits.cpus == 1.5);
  CHECK(limits.memory_bytes == std::uint64_t{2} << 30);
  CHECK(limits.cpu_list == "1");
  CHECK(limits.throttled == 3);

  machine.put("proc/self/cgroup",
              "12:cpu,cpuacct:/docker/x\n5:memory:/docker/x\n3:cpuset:/docker/x\n1:name=systemd:/\n");
  machine.put("sys/fs/cgroup/cpu,cpuacct/docker/x/cpu.cfs_quota_us", "50000\n");
  machine.put("sys/fs/cgroup/cpu,cpuacct/docker/x/cpu.cfs_period_us", "100000\n");
  machine.put("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  machine.put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  machine.put("sys/fs/cgroup/memory/docker/x/memory.limit_in_bytes", "1073741824\n");
  machine.put("sys/fs/cgroup/cpuset/docker/x/cpuset.cpus", "0\n");
  limits = group_limits(machine.folder.path());
  CHECK(limits.cpus == 0.5);
  CHECK(limits.memory_bytes == std::uint64_t{1} << 30);
  CHECK(limits.cpu_list == "0");
}

TEST_CASE("group_limits: inside a container, where the path is the host's, the files of the mount count",
          "[environment]") {
  FileMachine machine;
  machine.put("proc/self/cgroup", "0::/../../kubepods/pod1\n");
  machine.put("sys/fs/cgroup/cpu.max", "200000 100000\n");
  CHECK(group_limits(machine.folder.path()).cpus == 2.0);
}

TEST_CASE("as_list, from_list: convert lists in the kernel's format", "[environment]") {
  CHECK(as_list({3, 0, 1, 7, 2}) == "0-3,7");
  CHECK(as_list({}).empty());
  CHECK(from_list(" 0-3,7\n") == std::vector<int>{0, 1, 2, 3, 7});
  CHECK(from_list("x,2-,5").size() == 1);
  CHECK(from_list("0-99999999").size() == 4096);
}

TEST_CASE("readable_diff: describes two machines in a sentence", "[environment]") {
  CHECK(
      readable_diff(
          facts({{"governor", "performance"}, {"library.blas", "libmkl_rt.so.2 91bc000000000000"}, {"threads", "1"}}),
          facts(
              {{"governor", "powersave"}, {"library.blas", "libopenblas.so.0 3f2a000000000000"}, {"threads", "4"}})) ==
      "the governor is powersave instead of performance; OpenBLAS (libopenblas.so.0, 3f2a…) was loaded instead of "
      "MKL (libmkl_rt.so.2, 91bc…); workers had 4 threads instead of 1");
}

TEST_CASE("readable_diff: describes added, removed and replaced libraries", "[environment]") {
  CHECK(readable_diff(facts({}), facts({{"gpu0.name", "H200"}})) == "GPU 0 is H200, which was unknown before");
  CHECK(readable_diff(facts({{"governor", "performance"}}), facts({})) ==
        "the governor is unknown instead of performance");
  CHECK(readable_diff(facts({}), facts({{"cpu_limit", "1.5"}})) ==
        "the control group's CPU time is limited to 1.5 CPUs; it was not limited");
  CHECK(readable_diff(facts({{"cpu_limit", "1.5"}}), facts({{"cpu_limit", "2"}})) ==
        "the control group's CPU time is limited to 2 CPUs instead of 1.5 CPUs");
  CHECK(readable_diff(facts({{"memory_limit", "2 GiB"}}), facts({})) ==
        "the control group's memory is not limited instead of 2 GiB");
  CHECK(readable_diff(facts({}), facts({{"variable MALLOC_ARENA_MAX", "1"}})) ==
        "MALLOC_ARENA_MAX is 1; it was not set");
  CHECK(readable_diff(facts({{"variable LD_PRELOAD", "/lib/a.so"}}), facts({})) ==
        "LD_PRELOAD is no longer set (it was /lib/a.so)");
  CHECK(readable_diff(facts({{"library.openmp", "libgomp.so.1 aaaabbbb"}}),
                      facts({{"library.openmp", "libgomp.so.1 ccccdddd"}})) ==
        "another libgomp.so.1 was loaded (cccc… instead of aaaa…)");
  CHECK(readable_diff(facts({}), facts({{"library.openmp", "libgomp.so.1 aaaabbbb, libiomp5.so ccccdddd"}})) ==
        "libgomp (libgomp.so.1, aaaa…) and libiomp5 (libiomp5.so, cccc…) were loaded, which were not before");
  CHECK(readable_diff(facts({{"library.allocator", "libjemalloc.so.2 aaaabbbb"}}), facts({})) ==
        "jemalloc (libjemalloc.so.2, aaaa…) was no longer loaded");
  CHECK(readable_diff(facts({{"measured on CPUs", "1"}}), facts({{"measured on CPUs", "any"}})) ==
        "workers were pinned to no CPU instead of CPU 1");
  CHECK(readable_diff(facts({{"smt", "0"}}), facts({{"smt", "1"}})) ==
        "simultaneous multithreading is on instead of off");
  CHECK(readable_diff(facts({{"something new", "a"}}), facts({{"something new", "b"}})) ==
        "something new is b instead of a");
}

TEST_CASE("readable_diff: describes the most important of many changes and names the others", "[environment]") {
  std::map<std::string, std::string> before, after;
  for (const char* name : {"zeta", "yota", "cpu", "governor", "kernel", "libc"}) {
    before[name] = "1";
    after[name] = "2";
  }
  CHECK(readable_diff(facts(before), facts(after), 3) ==
        "the CPU is 2 instead of 1; the governor is 2 instead of 1; the kernel is 2 instead of 1; and 3 more: libc, "
        "yota, zeta");
  // A single remaining change is described as well.
  CHECK(readable_diff(facts(before), facts(after), 5).find("zeta is 2 instead of 1") != std::string::npos);
  const auto changes = changes_between(facts(before), facts(after));
  REQUIRE(changes.size() == 6);
  CHECK(changes.front().name == "cpu");
  CHECK(changes.back().before == "1");
  CHECK(changes.back().after == "2");
}

TEST_CASE("steering_variables: what is recorded as steering a worker does reach it", "[environment]") {
  for (const char* name : {"MALLOC_ARENA_MAX",
                           "GLIBC_TUNABLES",
                           "LD_PRELOAD",
                           "LD_LIBRARY_PATH",
                           "LD_BIND_NOW",
                           "TCMALLOC_SAMPLE",
                           "OMP_WAIT_POLICY",
                           "GOMP_SPINCOUNT",
                           "KMP_AFFINITY",
                           "MKL_VERBOSE",
                           "OPENBLAS_CORETYPE",
                           "BLIS_ARCH_TYPE",
                           "DNNL_VERBOSE",
                           "ONEDNN_MAX_CPU_ISA",
                           "ATEN_CPU_CAPABILITY",
                           "TORCH_SHOW_CPP_STACKTRACES",
                           "PYTORCH_CUDA_ALLOC_CONF",
                           "C10_LOG_LEVEL",
                           "CUDA_VISIBLE_DEVICES",
                           "CUBLAS_WORKSPACE_CONFIG",
                           "CUDNN_LOGINFO",
                           "NVIDIA_TF32_OVERRIDE",
                           "NCCL_DEBUG"}) {
    INFO(name);
    CHECK(steering_variables({{name, "1"}}).size() == 1);
    CHECK(process::is_inherited(name, "1", Inherited::listed));
  }
}

}  // namespace tbci::environment_test
