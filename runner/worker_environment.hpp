// What a worker tells of itself once LibTorch and all libraries under it are loaded.
#pragma once

#include <filesystem>
#include <map>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/process.hpp"
#include "base/result.hpp"
#include "runner/suites.hpp"
#include "storage/model/build.hpp"

namespace tbci::runner {

/// What `tbci-worker environment` tells.
struct WorkerEnvironment {
  std::vector<std::filesystem::path> libraries;  ///< absolute, no two the same
  std::map<std::string, std::string> build;      ///< `mkl`, `onednn`, `openmp`, `cpu_capability`, ...: of its LibTorch
  std::map<std::string, std::string> process;    ///< `worker_cpus`: what the kernel gave it
};
/// Made for hostile output. Error (failed): the worker's own error line, or what breaks the protocol.
Result<WorkerEnvironment> parse_worker_environment(std::string_view output);

/// How a worker is started to be asked: as when it measures.
struct WorkerPlace {
  int threads = 1;
  std::vector<int> cpus;  ///< none: not pinned
};
/// Asks the suite's worker. Errors: as the worker says, or interrupted.
Result<WorkerEnvironment> ask_worker(ProcessRunner& processes, const Suite& suite, const model::Product& product,
                                     const WorkerPlace& place, std::stop_token stop);

}  // namespace tbci::runner
