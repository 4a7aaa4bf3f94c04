// What a worker reports about itself once LibTorch and its libraries are loaded.
#pragma once

#include <filesystem>
#include <map>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/process.hpp"
#include "base/result.hpp"
#include "runner/private_home.hpp"
#include "runner/suites.hpp"
#include "storage/model/build.hpp"

namespace tbci::runner {

/// The output of `tbci-worker environment`.
struct WorkerEnvironment {
  std::vector<std::filesystem::path> libraries;  ///< absolute, without duplicates
  std::map<std::string, std::string> build;      ///< `mkl`, `onednn`, `openmp`, `cpu_capability`, ...: of its LibTorch
  std::map<std::string, std::string> process;    ///< `worker_cpus`: CPUs that the kernel lets it use
};
/// Accepts hostile output. Error (failed): the worker's own error line, or what violates the protocol.
Result<WorkerEnvironment> parse_worker_environment(std::string_view output);

/// Threads and CPUs of the worker: the same as for a measurement.
struct WorkerPlace {
  int threads = 1;
  std::vector<int> cpus;  ///< none: not pinned
  Confinement confinement = {};
  std::string gpu = {};  ///< as MeasureSettings::gpu
};
/// Runs `environment` of the suite's worker. Errors: as the worker says, or interrupted.
Result<WorkerEnvironment> ask_worker(ProcessRunner& processes, const Suite& suite, const model::Product& product,
                                     const WorkerPlace& place, std::stop_token stop);

}  // namespace tbci::runner
