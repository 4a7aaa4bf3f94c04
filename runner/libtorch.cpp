#include "runner/libtorch.hpp"

#include <csignal>
#include <filesystem>
#include <vector>

#include "base/file.hpp"
#include "base/text.hpp"

namespace tbci::runner {

namespace {

// The text between the first pair of quotes after the `=`.
std::string quoted_value(std::string_view line) {
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos) return {};
  const std::size_t begin = line.find_first_of("'\"", equals);
  if (begin == std::string_view::npos) return {};
  const std::size_t end = line.find(line[begin], begin + 1);
  return end == std::string_view::npos ? std::string() : std::string(line.substr(begin + 1, end - begin - 1));
}

bool assigns(std::string_view line, std::string_view name) {
  if (!line.starts_with(name)) return false;
  const std::string_view rest = trim(line.substr(name.size()));
  return rest.starts_with('=') || rest.starts_with(':');
}

bool is_commit(std::string_view text) {
  return text.size() == 40 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace

TorchVersion parse_version_py(std::string_view text) {
  TorchVersion version;
  for (const std::string& line : split(text, '\n')) {
    if (assigns(line, "__version__")) version.version = one_line(quoted_value(line), 80);
    if (assigns(line, "cuda")) version.cuda = one_line(quoted_value(line), 20);
    if (assigns(line, "git_version")) version.git_version = quoted_value(line);
  }
  if (!is_commit(version.git_version)) version.git_version.clear();
  return version;
}

Result<TorchVersion> read_torch_version(const std::filesystem::path& prefix) {
  // A build made these files, so they may be anything.
  constexpr std::size_t longest = 1 << 20;
  if (const auto text = read_file(prefix / "version.py", longest)) {
    TorchVersion version = parse_version_py(*text);
    if (!version.version.empty()) return version;
  }
  if (const auto text = read_file(prefix / "build-version", longest)) {
    const auto hash = read_file(prefix / "build-hash", longest).value_or(std::string());
    TorchVersion version{.version = one_line(*text, 80), .git_version = std::string(trim(hash)), .cuda = {}};
    if (!is_commit(version.git_version)) version.git_version.clear();
    if (!version.version.empty()) return version;
  }
  return fail(ErrorKind::machine,
              "{} is not a LibTorch installation: it has neither version.py nor build-version; name the folder that "
              "contains lib/ and share/cmake/Torch",
              prefix.string());
}

std::string missing_libraries(std::string_view report) {
  std::vector<std::string> missing;
  for (const std::string& line : split(report, '\n')) {
    if (line.find("not found") != std::string::npos || line.find("undefined symbol") != std::string::npos)
      missing.push_back(one_line(line, 120));
    if (missing.size() == 3) break;
  }
  return join(missing, "; ");
}

Result<std::string> loader_report(ProcessRunner& processes, const std::filesystem::path& file, std::stop_token stop) {
  Command command;
  command.arguments = {"ldd", "-r", file.string()};
  command.environment = {{"LC_ALL", "C"}};
  command.time_limit = std::chrono::minutes(2);
  command.writable.emplace();  // the loader of a hostile library needs to write nothing
  TBCI_ASSIGN(const ProcessOutcome outcome, processes.run(command, stop));
  if (outcome.interrupted) return fail(ErrorKind::interrupted, "checking {}: stopped", file.string());
  if (outcome.timed_out || outcome.signal == SIGKILL) {
    return fail(ErrorKind::machine, "checking {}: ldd {}; try again", file.string(),
                describe(outcome, command.time_limit));
  }
  const std::string report = outcome.output + "\n" + outcome.error;
  if (!outcome.succeeded() && missing_libraries(report).empty()) {
    const std::string why = one_line(outcome.error.empty() ? outcome.output : outcome.error);
    return fail(ErrorKind::failed, "{}", why.empty() ? "ldd " + describe(outcome, command.time_limit) : why);
  }
  return report;
}

Status check_libtorch(ProcessRunner& processes, const std::filesystem::path& prefix, std::stop_token stop) {
  for (const char* part : {"lib/libtorch.so", "lib/libtorch_cpu.so", "lib/libc10.so", "include/torch",
                           "share/cmake/Torch/TorchConfig.cmake"}) {
    std::error_code ignored;
    if (!std::filesystem::exists(prefix / part, ignored)) {
      return fail(ErrorKind::failed, "{} is not a LibTorch installation: {} is missing; reinstall it", prefix.string(),
                  part);
    }
  }
  const auto report = loader_report(processes, prefix / "lib/libtorch_cpu.so", std::move(stop));
  if (!report && report.error().kind != ErrorKind::failed) return pass_on(report.error());
  const std::string missing = report ? missing_libraries(*report) : report.error().message;
  if (!missing.empty()) {
    return fail(ErrorKind::failed, "the LibTorch in {} does not load: {}; reinstall it", prefix.string(), missing);
  }
  return {};
}

}  // namespace tbci::runner
