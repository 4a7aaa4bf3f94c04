// Questions to a worker that are about no model: its environment, its peaks.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/process.hpp"
#include "base/result.hpp"
#include "runner/suites.hpp"
#include "runner/worker_environment.hpp"
#include "storage/model/build.hpp"

namespace tbci::runner {

/// `PROGRAM SUBCOMMAND --protocol N OPTIONS...`, with the libraries, CPUs and variables of a measurement.
Command worker_question(const char* subcommand, const Suite& suite, const model::Product& product,
                        const WorkerPlace& place);

/// Runs it confined. Error (interrupted): a stop was requested.
Result<ProcessOutcome> ask(ProcessRunner& processes, Command command, const WorkerPlace& place, std::stop_token stop);

/// The object of one line of the answer, with its `type`. Error (failed): it is not valid, or the worker's own error.
Result<nlohmann::json> answer_line(const std::string& line);

}  // namespace tbci::runner
