// What a machine does at best, as a worker measures it.
#pragma once

#include <stop_token>
#include <string_view>
#include <vector>

#include "base/process.hpp"
#include "base/result.hpp"
#include "runner/suites.hpp"
#include "runner/worker_environment.hpp"
#include "storage/model/build.hpp"
#include "storage/model/peaks.hpp"

namespace tbci::runner {

/// Reads the output of `tbci-worker peaks`: the CPU's, and the GPU's if there is one. Pure; accepts hostile output.
/// Error (failed): the worker's own error line, or what violates the protocol.
Result<std::vector<model::Peaks>> parse_peaks(std::string_view output);

/// Runs `peaks` of the suite's worker; none where it does not know the command. Errors: as the worker says, or
/// interrupted.
Result<std::vector<model::Peaks>> ask_peaks(ProcessRunner& processes, const Suite& suite, const model::Product& product,
                                            const WorkerPlace& place, std::stop_token stop);

}  // namespace tbci::runner
