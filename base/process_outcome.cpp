// Describes child processes in error messages, and turns their failure into an error.
#include <csignal>
#include <cstring>
#include <string_view>

#include "base/process.hpp"
#include "base/text.hpp"

namespace tbci {

std::string describe(const ProcessOutcome& outcome, std::chrono::milliseconds time_limit) {
  if (outcome.timed_out) return fmt::format("ended after its limit of {}", human_duration(time_limit));
  if (outcome.interrupted) return "ended because a stop was requested";
  if (outcome.signal != 0) {
    const char* name = ::sigabbrev_np(outcome.signal);  // real-time signals have none
    return name != nullptr ? fmt::format("killed by SIG{}", name) : fmt::format("killed by signal {}", outcome.signal);
  }
  return fmt::format("exit code {}", outcome.exit_code);
}

std::string describe(const Command& command) {
  std::vector<std::string> quoted;
  for (const std::string& argument : command.arguments) quoted.push_back(shell_quoted(argument));
  return join(quoted, " ");
}

Result<ProcessOutcome> run_checked(ProcessRunner& runner, const Command& command, std::stop_token stop) {
  TBCI_ASSIGN(ProcessOutcome outcome, runner.run(command, std::move(stop)));
  if (outcome.succeeded()) return outcome;
  if (outcome.interrupted) return fail(ErrorKind::interrupted, "{}: stopped", command.arguments.front());
  const std::string_view said = trim(outcome.error.empty() ? outcome.output : outcome.error);
  const std::string_view telling = said.substr(said.size() > 600 ? said.size() - 600 : 0);
  // Where tbci ended the command, or the kernel did for lack of memory, the command is not at fault.
  const bool ended = outcome.timed_out || outcome.signal == SIGKILL;
  return fail(ended ? ErrorKind::environment : ErrorKind::failed, "{}: {}: {}", one_line(describe(command)),
              describe(outcome, command.time_limit), one_line(telling, 600));
}

}  // namespace tbci
