#include "runner/judgement.hpp"

#include <csignal>
#include <vector>

#include "base/text.hpp"

namespace tbci::runner {

namespace {

bool mentions_memory(std::string_view text) {
  for (const char* words : {"bad_alloc", "Cannot allocate memory", "out of memory", "OutOfMemory",
                            "can't allocate memory", "memory exhausted"}) {
    if (text.find(words) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

std::string last_line(std::string_view text) {
  const std::string_view body = trim(text);
  const std::size_t newline = body.rfind('\n');
  return one_line(newline == std::string_view::npos ? body : body.substr(newline + 1), 300);
}

std::string last_lines(std::string_view text) {
  constexpr std::size_t most_lines = 40, most_bytes = 6000;
  const std::vector<std::string> lines = split(trim(text), '\n');
  std::string kept;
  for (std::size_t i = lines.size(); i-- > 0 && lines.size() - i <= most_lines;) {
    const std::string line = one_line(lines[i], 300);
    if (kept.size() + line.size() + 1 > most_bytes) break;
    kept = line + (kept.empty() ? "" : "\n") + kept;
  }
  return kept;
}

Judgement judge(const ProcessOutcome& ended, const ProtocolReader& reader, const WorkerLimits& limits) {
  const std::string said = last_line(ended.error);
  const std::string tail = said.empty() ? "" : ": " + said;
  const std::string how = describe(ended, limits.time);
  // Whatever the build did: a process that cannot be killed is the machine's fault (machine_trouble.cpp knows the
  // words).
  if (ended.left_behind) return {.outcome = model::Outcome::crashed, .message = "it " + how + tail};
  if (ended.timed_out) return {.outcome = model::Outcome::timed_out, .message = how + tail};
  // A process that dies in the middle of a line has crashed; one that tbci ended for a malformed line has not.
  const bool died = ended.signal != 0 && !ended.interrupted;
  if (reader.broken() && !died)
    return {.outcome = model::Outcome::protocol, .message = "it violated the protocol: " + reader.violation() + tail};
  if (reader.failed() && ended.signal == 0)
    return {.outcome = reader.measurement().outcome, .message = reader.measurement().message};
  if (reader.done() && ended.succeeded()) return {.outcome = model::Outcome::done, .message = {}};
  const std::string after = reader.done() ? " after its last line" : "";
  if (ended.signal == SIGKILL) {
    return {.outcome = model::Outcome::out_of_memory,
            .message = how + after + ", as the kernel does when memory runs out" + tail};
  }
  if (limits.address_space_bytes && mentions_memory(ended.error)) {
    return {.outcome = model::Outcome::out_of_memory,
            .message = fmt::format("{} within its limit of {}{}", how,
                                   human_bytes(static_cast<double>(*limits.address_space_bytes)), tail)};
  }
  // 2 is the protocol's exit code for a command line that the worker does not understand.
  if (ended.exit_code == 2 && !reader.done())
    return {.outcome = model::Outcome::protocol, .message = "it rejected its command line" + tail};
  if (ended.exit_code == 0)
    return {.outcome = model::Outcome::crashed, .message = "it ended without printing done" + tail};
  return {.outcome = model::Outcome::crashed, .message = how + after + tail};
}

}  // namespace tbci::runner
