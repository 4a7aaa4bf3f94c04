// A small machine that consists of files: its proc/ and sys/.
#pragma once

#include "runner/environment.hpp"
#include "tests/runner/fixtures.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::test {

inline ProcessOutcome answer(const std::string& output, int exit_code = 0) {
  ProcessOutcome outcome;
  outcome.output = output;
  outcome.exit_code = exit_code;
  return outcome;
}

struct FileMachine {
  TemporaryDirectory folder;
  std::map<std::string, std::string> gpu_answers;  ///< nvidia-smi output by a word of the query; empty: it is missing
  std::string compiler = "g++ (Debian 12.2.0-14) 12.2.0\nCopyright (C) 2022\n";
  std::string cuda_compiler = {};  ///< empty: there is none
  std::map<std::string, std::string> variables;
  ScriptedProcesses processes{[this](const Command& command) -> Result<ProcessOutcome> {
    if (command.arguments.front() == "c++") return answer(compiler);
    if (command.arguments.front() == "nvcc" && !cuda_compiler.empty()) return answer(cuda_compiler);
    if (command.arguments.front() != "nvidia-smi") return answer("", 9);
    if (gpu_answers.empty()) return fail(ErrorKind::machine, "the program 'nvidia-smi' is not on PATH");
    for (const auto& [word, text] : gpu_answers) {
      if (describe(command).find(word) != std::string::npos) return answer(text);
    }
    return answer("", 9);
  }};

  FileMachine() {
    put("proc/cpuinfo",
        "processor\t: 0\nmodel name\t: Fast CPU 3000\nmicrocode\t: 0x2b\nflags\t\t: fpu avx2 hypervisor\n");
    put("proc/meminfo", "MemTotal:       24617324 kB\nMemFree:          123 kB\n");
    put("proc/sys/kernel/osrelease", "6.1.0-20-amd64\n");
    put("proc/sys/kernel/randomize_va_space", "2\n");
    put("proc/self/cgroup", "0::/jobs/one\n");
    put("proc/self/status", "Name:\ttbci\nSeccomp:\t0\nCpus_allowed_list:\t0-1\n");
    put("sys/fs/cgroup/jobs/cpu.max", "150000 100000\n");
    put("sys/fs/cgroup/jobs/one/cpu.max", "max 100000\n");
    put("sys/devices/system/cpu/online", "0-1\n");
    put("sys/devices/system/cpu/smt/active", "1\n");
    for (const char* cpu : {"cpu0", "cpu1"}) {
      put(std::string("sys/devices/system/cpu/") + cpu + "/cpufreq/scaling_governor", "powersave\n");
      put(std::string("sys/devices/system/cpu/") + cpu + "/topology/thread_siblings_list", "0-1\n");
    }
    put("sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
    put("sys/devices/system/cpu/vulnerabilities/meltdown", "Mitigation: PTI\n");
    put("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
    put("sys/kernel/mm/transparent_hugepage/defrag", "always defer [madvise] never\n");
  }
  void put(const std::string& name, const std::string& text) { REQUIRE(write_file_atomically(folder / name, text)); }
  model::Environment read() {
    return runner::read_environment(processes, {.root = folder.path(), .ask_gpu = true, .variables = variables});
  }
};

}  // namespace tbci::test
