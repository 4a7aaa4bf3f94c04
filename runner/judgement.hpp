// What the end of a worker's process says about its measurement.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/process.hpp"
#include "runner/protocol.hpp"
#include "storage/model/measurement.hpp"

namespace tbci::runner {

struct WorkerLimits {
  std::chrono::milliseconds time{};
  std::optional<std::uint64_t> address_space_bytes;
};

struct Judgement {
  model::Outcome outcome{};
  std::string message;  ///< of a failure; one line
};

/// The outcome of a process, and for a failure its message with the last line of standard error. Pure.
Judgement judge(const ProcessOutcome& ended, const ProtocolReader& reader, const WorkerLimits& limits);

/// The last line, printable and at most 300 characters.
std::string last_line(std::string_view text);

/// What a process said last, for people who look for the cause: a stack, if it printed one.
std::string last_lines(std::string_view text);

}  // namespace tbci::runner
