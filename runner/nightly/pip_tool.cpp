#include "runner/nightly/pip_tool.hpp"

#include <algorithm>
#include <csignal>
#include <cstdint>

#include "base/file.hpp"
#include "base/text.hpp"
#include "runner/environment/facts.hpp"
#include "runner/nightly/pip_environment.hpp"
#include "runner/nightly/pip_text.hpp"
#include "runner/source/machine_trouble.hpp"

namespace tbci::runner {

namespace {

namespace fs = std::filesystem;

// pip reads a page to its end, which may never come: without a limit it is the machine's memory that ends first. A
// page of an index is some MB; a pip before 25.3 also downloads the wheels, and holds one twice: of up to 3 GB each.
constexpr std::uint64_t most_memory_of_listing = std::uint64_t{1} << 30;
constexpr std::uint64_t most_memory_of_resolving = std::uint64_t{8} << 30;

// Why pip discarded the file that it found nothing else than: its METADATA says another version, or another name, than
// its file does. pip's error says only that nothing is left.
std::string discarded_file(const ProcessOutcome& outcome) {
  static constexpr std::string_view heading = "No matching distribution found for ";
  const std::size_t at = outcome.error.find(heading);
  if (at == std::string::npos) return {};
  const std::string_view rest = std::string_view(outcome.error).substr(at + heading.size());
  const std::string wanted = "Requested " + std::string(rest.substr(0, rest.find_first_of(" \n")));
  for (const std::string& line : split(outcome.output + "\n" + outcome.error, '\n')) {
    if (contains(line, " has inconsistent ") && contains(line, wanted))
      return one_line(std::string_view(line).substr(line.find(wanted)), 400);
  }
  return {};
}

// What pip says is wrong; without such a line the end of what it printed.
std::string complaint_of(const ProcessOutcome& outcome) {
  if (std::string discarded = discarded_file(outcome); !discarded.empty()) return discarded;
  if (contains(outcome.error, "MemoryError")) return "what the index sends has no end, or is too large for pip";
  std::string why;
  for (const std::string& line : split(outcome.error, '\n')) {
    if (line.starts_with("ERROR:")) why = one_line(line, 300);
  }
  const std::string conflict = pip_conflict(outcome.output);
  if (!conflict.empty()) return "these do not fit together: " + conflict;
  return why.empty() ? one_line(outcome.error.empty() ? outcome.output : outcome.error, 300) : why;
}

// A network failure may pass; a missing version will stay missing.
ErrorKind kind_of(const ProcessOutcome& outcome) {
  const std::string& said = outcome.error;
  if (outcome.signal == SIGKILL && !outcome.timed_out) return ErrorKind::killed;
  if (const std::string trouble = machine_trouble(said); !trouble.empty())
    return trouble.starts_with(network_trouble) ? ErrorKind::transient : ErrorKind::machine;
  if (outcome.timed_out || contains(said, "MemoryError")) return ErrorKind::transient;
  for (const char* words : {"ConnectionError", "NewConnectionError", "ReadTimeout", "Connection broken", "HTTP error 5",
                            "Max retries exceeded"}) {
    if (contains(said, words)) return ErrorKind::transient;
  }
  // A pip before 23.2 also discards a name that is written in another way, where the index gives the METADATA apart.
  if (const std::string discarded = discarded_file(outcome); !discarded.empty())
    return contains(discarded, " has inconsistent version") ? ErrorKind::failed : ErrorKind::machine;
  if (contains(said, "No matching distribution found") || contains(said, "Could not find a version"))
    return has_only_others(said) ? ErrorKind::failed : ErrorKind::transient;
  return ErrorKind::machine;
}

}  // namespace

bool has_only_others(std::string_view said) {
  return contains(said, "(from versions:") && !contains(said, "(from versions: none)");
}

Error pip_failure(std::string_view doing, const ProcessOutcome& outcome, const Command& command) {
  if (outcome.interrupted) return {ErrorKind::interrupted, fmt::format("{}: stopped", doing)};
  if (contains(outcome.error, ": No module named pip")) {
    return {ErrorKind::usage,
            fmt::format("{}: {} has no pip: install it (Debian's package is python3-pip), or name another python in "
                        "[subject.nightlies]",
                        doing, command.arguments.front())};
  }
  const ErrorKind kind = kind_of(outcome);
  std::string why = complaint_of(outcome);
  if (kind == ErrorKind::transient && contains(outcome.error, "No matching distribution found"))
    why += " (the index does not answer, or has no such package)";
  return {kind, fmt::format("{}: {}: {}", doing, describe(outcome, command.time_limit), why)};
}

Command PipTool::offline(const fs::path& python, std::vector<std::string> arguments) const {
  Command command;
  // -I: neither the current folder, nor PYTHONPATH, nor packages of the user.
  command.arguments = {python.string(), "-I", "-m", "pip", "--disable-pip-version-check", "--no-input"};
  command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
  command.environment = pip_environment(settings_.index_url, own_variables());
  command.environment["LC_ALL"] = "C.UTF-8";
  // A download that breaks off goes on where it was; a pip before 25.1 does not know the option, and ignores it.
  command.environment.try_emplace("PIP_RESUME_RETRIES", "5");
  if (!place_.cache.empty()) command.environment.try_emplace("PIP_CACHE_DIR", fs::absolute(place_.cache).string());
  command.inherited = Inherited::for_fetching;
  return command;
}

Command PipTool::reading_index(const fs::path& python, std::vector<std::string> arguments) const {
  const bool resolves = std::ranges::find(arguments, "--dry-run") != arguments.end();
  Command command = asking_index(python, std::move(arguments));
  command.memory_limit_bytes = resolves ? most_memory_of_resolving : most_memory_of_listing;
  return command;
}

Command PipTool::asking_index(const fs::path& python, std::vector<std::string> arguments) const {
  arguments.emplace_back("--only-binary=:all:");
  if (settings_.pre_releases) arguments.emplace_back("--pre");
  arguments.insert(arguments.end(), settings_.pip_arguments.begin(), settings_.pip_arguments.end());
  return offline(python, std::move(arguments));
}

std::string PipTool::index_address(std::stop_token stop) const {
  if (!settings_.index_url.empty()) return settings_.index_url;
  Command command = offline(settings_.python, {"config", "get", "global.index-url"});
  if (const auto named = command.environment.find("PIP_INDEX_URL"); named != command.environment.end())
    return named->second;
  command.time_limit = std::chrono::minutes(1);
  const auto outcome = run(command, {}, std::move(stop));
  return std::string(outcome && outcome->succeeded() ? trim(outcome->output) : std::string_view());
}

Result<ProcessOutcome> PipTool::run(Command& command, const fs::path& venv, std::stop_token stop) const {
  TBCI_ASSIGN(const PrivateHome home, PrivateHome::make(place_.confinement));
  std::vector<fs::path> own;
  if (!venv.empty()) own.push_back(venv);
  if (const auto cache = command.environment.find("PIP_CACHE_DIR"); cache != command.environment.end()) {
    TBCI_TRY(make_directories(cache->second));
    std::error_code ignored;  // says when it was last used
    fs::last_write_time(cache->second, fs::file_time_type::clock::now(), ignored);
    own.emplace_back(cache->second);
  }
  home.confine(command, std::move(own));
  return processes_.run(command, std::move(stop));
}

}  // namespace tbci::runner
