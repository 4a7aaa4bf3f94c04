#include "runner/nightly/uv_tool.hpp"

#include "base/text.hpp"
#include "base/version_order.hpp"

namespace tbci::runner {

namespace fs = std::filesystem;

std::optional<std::string> parse_uv_version(std::string_view printed) {
  static constexpr std::string_view name = "uv ";
  if (!printed.starts_with(name)) return std::nullopt;
  const std::string_view rest = printed.substr(name.size());
  const std::string_view version = rest.substr(0, rest.find_first_of(" \r\n"));
  const bool is_version =
      !version.empty() && version.size() < 40 && version.front() >= '0' && version.front() <= '9' &&
      version.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789.+-") == std::string_view::npos;
  return is_version ? std::optional<std::string>(version) : std::nullopt;
}

Result<std::optional<std::string>> usable_uv(WheelUnpacker wanted, const std::optional<std::string>& found) {
  if (wanted == WheelUnpacker::pip) return std::nullopt;
  if (found && !is_older(*found, oldest_usable_uv)) return found;
  if (wanted == WheelUnpacker::fastest) return std::nullopt;
  const std::string what = found ? fmt::format("the uv on PATH is {}, older than {}", *found, oldest_usable_uv)
                                 : std::string("no uv is on PATH");
  return fail(ErrorKind::usage, "{}: install one, or set installer in [subject.nightlies] to \"auto\"", what);
}

Command uv_version() {
  Command command;
  command.arguments = {"uv", "--version"};
  command.environment = {{"LC_ALL", "C.UTF-8"}};
  command.time_limit = std::chrono::seconds(30);
  return command;
}

fs::path uv_cache_of(const Venv& venv) {
  return venv.folder / "uv-cache";
}

// uv unpacks into its cache and links from there. This cache belongs to the environment and goes right after, so that
// no other process has a second name of the files; and since it lies beside them, nothing is copied.
Command uv_install(const Venv& venv, const std::vector<fs::path>& wheels) {
  Command command;
  command.arguments = {
      "uv",          "pip",        "install",   "--python",      venv.python().string(), "--offline",
      "--no-config", "--no-index", "--no-deps", "--no-progress", "--cache-dir",          uv_cache_of(venv).string(),
      "--link-mode", "hardlink"};
  for (const fs::path& wheel : wheels) command.arguments.push_back(wheel.string());
  command.environment = {{"LC_ALL", "C.UTF-8"}};  // no variable of a UV_ name is inherited
  command.time_limit = std::chrono::hours(1);
  return command;
}

Command compile_bytecode(const Venv& venv, const fs::path& packages) {
  Command command;
  command.arguments = {venv.python().string(), "-I", "-m", "compileall", "-q", "-q", "-j", "0", packages.string()};
  command.environment = {{"LC_ALL", "C.UTF-8"}};
  command.time_limit = std::chrono::hours(1);
  return command;
}

}  // namespace tbci::runner
