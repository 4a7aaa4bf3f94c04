#include "runner/source/git_tool.hpp"

#include <fcntl.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "base/descriptor.hpp"
#include "base/text.hpp"

namespace tbci::runner {

namespace {

// The first word that is a command: `-c core.bare=true clone` is a `clone`.
std::string command_in(const std::vector<std::string>& arguments) {
  for (std::size_t at = 0; at < arguments.size(); ++at) {
    if (arguments[at] == "-c")
      ++at;
    else if (!arguments[at].starts_with("--"))
      return "git " + arguments[at];
  }
  return "git";
}

}  // namespace

Result<std::string> GitTool::ask(const std::vector<std::string>& arguments, const std::filesystem::path& directory,
                                 std::stop_token stop, const std::map<std::string, std::string>& environment) const {
  Command command;
  command.directory = directory;
  command.environment = environment;
  return call(std::move(command), arguments, std::move(stop));
}

Result<std::string> GitTool::call(Command command, const std::vector<std::string>& arguments,
                                  std::stop_token stop) const {
  // Runs no hook and no file monitor of the repository, and never asks on a terminal.
  command.arguments = {"git",
                       "-c",
                       "core.hooksPath=/dev/null",
                       "-c",
                       "core.fsmonitor=false",
                       "-c",
                       "advice.detachedHead=false",
                       "-c",
                       "gc.auto=0",
                       "-c",
                       "maintenance.auto=false",
                       "-c",
                       "protocol.ext.allow=never"};
  command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
  command.inherited = Inherited::for_fetching;
  command.environment.insert({{"LC_ALL", "C"},
                              {"GIT_TERMINAL_PROMPT", "0"},
                              {"GIT_OPTIONAL_LOCKS", "0"},
                              // A build may have left objects that take the place of others.
                              {"GIT_NO_REPLACE_OBJECTS", "1"}});
  command.time_limit = std::chrono::hours(6);
  TBCI_ASSIGN(const ProcessOutcome outcome, processes_.run(command, std::move(stop)));
  if (outcome.succeeded()) return std::string(trim(outcome.output));
  const std::string what = command_in(arguments);
  if (outcome.interrupted) return fail(ErrorKind::interrupted, "{}: stopped", what);
  const bool missing = outcome.error.find("does not exist") != std::string::npos ||
                       outcome.error.find("does not appear to be a git repository") != std::string::npos;
  return fail(missing ? ErrorKind::usage : ErrorKind::machine, "{} of {}: {}: {}", what, of_,
              describe(outcome, command.time_limit), one_line(outcome.error, 300));
}

Status GitTool::run(const std::vector<std::string>& arguments, const std::filesystem::path& directory,
                    std::stop_token stop, const std::map<std::string, std::string>& environment) const {
  TBCI_TRY(ask(arguments, directory, std::move(stop), environment));
  return {};
}

Status GitTool::feed(const std::filesystem::path& input, const std::vector<std::string>& arguments,
                     const std::filesystem::path& directory, std::stop_token stop) const {
  const Descriptor opened(::open(input.c_str(), O_RDONLY | O_CLOEXEC));
  if (!opened.open()) return fail(ErrorKind::machine, "cannot read {}: {}", input.string(), std::strerror(errno));
  Command command;
  command.directory = directory;
  command.input = opened.get();
  TBCI_TRY(call(std::move(command), arguments, std::move(stop)));
  return {};
}

}  // namespace tbci::runner
