// Builds the worker against the LibTorch of a product, once for each LibTorch.
#pragma once

#include <chrono>
#include <filesystem>
#include <stop_token>

#include "base/process.hpp"
#include "base/result.hpp"
#include "runner/line_sink.hpp"
#include "storage/model/build.hpp"

namespace tbci::runner {

struct WorkerBuildSettings {
  std::filesystem::path source;       ///< the folder `suite/`
  std::filesystem::path cache;        ///< where workers are kept; may be shared by subjects
  std::vector<std::string> families;  ///< of models; none: all
  int jobs = 0;                       ///< 0: one for each CPU
  std::chrono::milliseconds time_limit = std::chrono::hours(1);
};

/// The worker for the product, built if it was not: equal sources and an equal LibTorch share one. Another process that
/// builds the same is waited for. Error (failed) with the telling line and the log where it does not build.
Result<std::filesystem::path> ensure_worker(ProcessRunner& processes, const WorkerBuildSettings& settings,
                                            const model::Product& product, const LineSink& progress,
                                            std::stop_token stop);

}  // namespace tbci::runner
