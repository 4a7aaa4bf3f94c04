// Builds the worker against the LibTorch of a product, once per LibTorch.
#pragma once

#include <chrono>
#include <filesystem>
#include <stop_token>

#include "base/clock.hpp"
#include "base/process.hpp"
#include "base/result.hpp"
#include "runner/line_sink.hpp"
#include "runner/private_home.hpp"
#include "storage/model/build.hpp"

namespace tbci::runner {

struct WorkerBuildSettings {
  std::filesystem::path source;       ///< the folder `suite/`
  std::filesystem::path cache;        ///< where workers are stored; subjects may share it
  Confinement confinement = {};       ///< of the build: LibTorch's own CMake files run in it
  std::vector<std::string> families;  ///< of models; empty: all, or none beside `models`
  /// Folder of further families, each a `.cpp` file as in suite/models/; empty: none.
  std::filesystem::path models = {};
  bool optimized = true;  ///< false: quicker to build, for models whose time is that of LibTorch's kernels
  int jobs = 0;           ///< 0: one per CPU
  /// The LibTorch that all builds share (Subject::torch_base): what is wrong with it is not a build's fault. May be
  /// empty.
  std::filesystem::path shared_libtorch = {};
  std::chrono::milliseconds time_limit = std::chrono::hours(1);
};

/// The worker for the product. Builds it if there is none; equal sources and settings, an equal LibTorch and an
/// equal compiler share a worker. Waits for another process that builds the same one. Error (failed) with the error
/// line and the log if it does not build, if the build's own LibTorch is incomplete or does not load, and if the
/// worker's build was killed for the second time (ErrorKind::killed before). That is not tried a third time.
Result<std::filesystem::path> ensure_worker(ProcessRunner& processes, const Clock& clock,
                                            const WorkerBuildSettings& settings, const model::Product& product,
                                            const LineSink& progress, std::stop_token stop);

}  // namespace tbci::runner
