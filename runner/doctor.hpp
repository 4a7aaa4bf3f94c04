// Checks what this machine lacks for measuring, and what disturbs measurements on it.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/process.hpp"
#include "base/sandbox.hpp"
#include "runner/doctor/counters.hpp"
#include "runner/doctor/cuda_builds.hpp"
#include "runner/doctor/gpus.hpp"
#include "runner/doctor/load_sampler.hpp"
#include "runner/environment/control_group.hpp"
#include "runner/subject.hpp"
#include "storage/model/measurement.hpp"

namespace tbci::runner {

enum class Health { ok, warning, problem };
std::string_view to_string(Health health);

struct Check {
  std::string name;
  Health health = Health::ok;
  std::string what;    ///< what was found
  std::string remedy;  ///< how to fix it; empty if the check passed
};

/// The input of all checks.
struct MachineFacts {
  model::Environment environment;
  std::map<std::string, std::string> tools;  ///< name -> first line of its version; without missing tools
  std::optional<std::string> uv = {};        ///< its version; nothing: it is not on PATH
  std::string python_trouble = {};           ///< why it cannot install nightlies; empty: it can, or need not
  std::uint64_t free_bytes = 0;              ///< of the state folder's file system
  double load = 0;                           ///< of the last minute
  std::vector<int> cpus = {0};               ///< that tbci may use, ascending
  GroupLimits group;                         ///< of our control group
  std::uint64_t memory_bytes = 0;            ///< of the machine; 0: unknown
  std::uint64_t swapped_bytes = 0;           ///< swap space in use
  SandboxSupport sandbox;                    ///< of the kernel
  LoadSample load_sample;                    ///< of half a second without tbci's own work
  std::map<int, std::vector<int>> siblings;  ///< CPU -> the others that share its core
  CounterState counter;
  GpuFacts gpu;
  std::string libtorch;          ///< version; empty: none is configured
  std::string libtorch_trouble;  ///< why it does not load; empty: it loads
  /// What a worker loads; nothing if none is built yet.
  std::optional<std::vector<std::filesystem::path>> libraries;
  std::optional<bool> gpu_half = {};  ///< the worker has one; nothing if none is built yet
  std::string libraries_trouble;      ///< why the worker does not report them; empty: it does, or there is none
};

struct DoctorSettings {
  std::filesystem::path root = "/";         ///< as in EnvironmentSettings
  std::filesystem::path state;              ///< its file system's free space is checked
  std::filesystem::path libtorch;           ///< prefix; empty: not checked
  std::filesystem::path worker;             ///< program that reports which libraries it loads; empty: not checked
  std::vector<int> worker_cpus;             ///< the CPUs that workers are pinned to
  int threads = 1;                          ///< of a worker
  std::string gpu = {};                     ///< of a worker, as MeasureSettings::gpu
  std::vector<CudaBuild> cuda_builds = {};  ///< the subjects whose LibTorch has CUDA
  bool all_have_cuda = false;               ///< every subject is one of them
  bool measures_gpus = false;               ///< a configuration of the GPU is measured
  std::string python = {};                  ///< that installs nightlies of kind pip; empty: none does
  WheelUnpacker unpacker = WheelUnpacker::fastest;
  std::uint64_t needed_free_bytes = std::uint64_t{5} << 30;
  std::uint64_t cuda_environment_bytes = std::uint64_t{5} << 30;  ///< of a nightly with CUDA, with its libraries
  std::uint64_t needed_memory_bytes = std::uint64_t{4} << 30;     ///< by a compiler or a model of the suite
  std::chrono::milliseconds sampling_time = std::chrono::milliseconds(500);  ///< of the load
};

/// Collects the facts; takes a second or two.
MachineFacts gather_facts(ProcessRunner& processes, const Clock& clock, const DoctorSettings& settings,
                          std::stop_token stop);
/// Judges the facts. Pure.
std::vector<Check> judge(const MachineFacts& facts, const DoctorSettings& settings);
/// The worst of the checks.
Health worst(const std::vector<Check>& checks);

/// The latest worker that was built in the state folder; empty if there is none.
std::filesystem::path latest_worker(const std::filesystem::path& state);

}  // namespace tbci::runner
