#include "runner/source/build_environment.hpp"

#include <algorithm>

#include "base/file.hpp"
#include "base/text.hpp"
#include "base/waiting_lock.hpp"
#include "runner/nightly/installed_files.hpp"
#include "runner/nightly/pip_text.hpp"
#include "runner/nightly/wheel_check.hpp"

namespace tbci::runner {

namespace {

namespace fs = std::filesystem;

// Constraints are a file of their own for pip.
std::string lines_that(const std::vector<std::string>& requirements, bool constrain) {
  static constexpr std::string_view mark = "-c ";
  std::string text;
  for (const std::string& line : requirements) {
    if (line.starts_with(mark) == constrain) text += line.substr(constrain ? mark.size() : 0) + "\n";
  }
  return text;
}

}  // namespace

std::map<std::string, std::string> variables_of(const BuildEnvironment& environment, const std::string& path) {
  return {{"PIP_NO_INDEX", "1"},
          {"PIP_FIND_LINKS", environment.wheels.string()},
          {"PIP_CONFIG_FILE", "/dev/null"},
          {"PIP_DISABLE_PIP_VERSION_CHECK", "1"},
          {"VIRTUAL_ENV", environment.venv.folder.string()},
          {"PATH", (environment.venv.folder / "bin").string() + (path.empty() ? "" : ":" + path)}};
}

BuildEnvironments::BuildEnvironments(const RequirementSettings& settings, fs::path folder, fs::path cache,
                                     ProcessRunner& processes, const Clock& clock, LineSink progress,
                                     Confinement confinement)
    : settings_(settings),
      folder_(fs::absolute(std::move(folder))),
      processes_(processes),
      clock_(clock),
      progress_(std::move(progress)),
      index_{.index_url = settings.index, .pip_arguments = {}, .pre_releases = false, .python = settings.python},
      place_{.venvs = folder_, .cache = std::move(cache), .confinement = std::move(confinement)},
      pip_(index_, place_, processes) {}

Result<BuildEnvironment> BuildEnvironments::with(const std::vector<std::string>& requirements,
                                                 std::stop_token stop) const {
  TBCI_ASSIGN(const std::string python, python_version(stop));
  const std::string key = sha256_hex(python + "\n" + settings_.index + "\n" + join(requirements, "\n"));
  const fs::path entry = folder_ / key.substr(0, 24);
  const BuildEnvironment environment{.wheels = entry / "wheels", .venv = {entry / "venv"}};
  TBCI_TRY(make_directories(folder_));
  TBCI_ASSIGN(const FileLock lock, wait_for_lock(entry.string() + ".lock", "the environment of builds", clock_, stop));
  std::error_code ignored;
  if (!fs::exists(environment.venv.marker(), ignored)) {
    TBCI_TRY(remove_tree(entry));
    const Status made = make(environment, requirements, stop);
    if (!made) TBCI_TRY(remove_tree(entry));
    if (!made && made.error().kind == ErrorKind::failed) TBCI_TRY(check_own_packages(made.error(), requirements, stop));
    TBCI_TRY(made);
  }
  fs::last_write_time(entry, fs::file_time_type::clock::now(), ignored);
  return environment;
}

// What cannot be installed for any commit says nothing about this one.
Status BuildEnvironments::check_own_packages(const Error& trouble, const std::vector<std::string>& requirements,
                                             std::stop_token stop) const {
  if (settings_.packages.empty()) return {};
  Error own = trouble;
  if (requirements != settings_.packages) {
    const auto alone = with(settings_.packages, std::move(stop));
    if (alone) return {};
    own = alone.error();
  }
  if (own.kind != ErrorKind::failed) return pass_on(own);
  return fail(ErrorKind::usage, "{}: correct packages in [subject.source.requirements]", own.message);
}

// Another Python needs other wheels.
Result<std::string> BuildEnvironments::python_version(std::stop_token stop) const {
  Command command;
  command.arguments = {settings_.python, "-I", "-c", "import sys; print(sys.base_prefix, sys.version)"};
  command.time_limit = std::chrono::minutes(1);
  TBCI_ASSIGN(const ProcessOutcome outcome, processes_.run(command, std::move(stop)));
  if (outcome.interrupted) return fail(ErrorKind::interrupted, "asking {} for its version: stopped", settings_.python);
  if (outcome.succeeded()) return outcome.output;
  return fail(ErrorKind::machine, "{}, which builds need, does not run: {}: {}", settings_.python,
              describe(outcome, command.time_limit), one_line(outcome.error, 200));
}

Status BuildEnvironments::make(const BuildEnvironment& environment, const std::vector<std::string>& requirements,
                               std::stop_token stop) const {
  const fs::path entry = environment.venv.folder.parent_path();
  TBCI_TRY(make_directories(environment.wheels));
  Command create;
  create.arguments = {settings_.python, "-I", "-m", "venv", environment.venv.folder.string()};
  create.environment = {{"LC_ALL", "C.UTF-8"}};
  TBCI_TRY(run("creating the environment of builds", std::move(create), entry, stop));
  const fs::path wanted = entry / "requirements.txt", constraints = entry / "constraints.txt";
  TBCI_TRY(write_file_atomically(wanted, lines_that(requirements, false)));
  TBCI_TRY(write_file_atomically(constraints, lines_that(requirements, true)));
  TBCI_TRY(run("downloading what builds require",
               pip_.asking_index(environment.venv.python(),
                                 {"download", "--progress-bar", "off", "--dest", environment.wheels.string(),
                                  "--requirement", wanted.string(), "--constraint", constraints.string()}),
               entry, stop));
  std::vector<fs::path> files;
  TBCI_TRY(check_wheels(environment.wheels, files));
  std::vector<std::string> arguments = {"install", "--progress-bar", "off", "--no-index", "--no-deps"};
  for (const fs::path& file : files) arguments.push_back(file.string());
  if (!files.empty()) {
    TBCI_TRY(run("installing what builds require", pip_.offline(environment.venv.python(), std::move(arguments)), entry,
                 std::move(stop)));
  }
  TBCI_ASSIGN(const fs::path packages, environment.venv.packages());
  TBCI_TRY(check_installed_files(environment.venv.folder, packages));
  return write_file_atomically(environment.venv.marker(), join(requirements, "\n") + "\n");
}

Status BuildEnvironments::check_wheels(const fs::path& wheels, std::vector<fs::path>& files) const {
  std::error_code error;
  for (fs::directory_iterator at(wheels, error), end; !error && at != end; at.increment(error))
    files.push_back(at->path());
  if (error) return fail(ErrorKind::machine, "cannot list {}: {}", wheels.string(), error.message());
  std::ranges::sort(files);
  std::uint64_t unpacked_bytes = 0;
  for (const fs::path& file : files) {
    TBCI_ASSIGN(const WheelContents contents, check_wheel(file));
    unpacked_bytes += contents.unpacked_bytes;
  }
  TBCI_ASSIGN(const std::uint64_t free, free_bytes(wheels));
  if (unpacked_bytes <= free) return {};
  return fail(ErrorKind::machine, "what builds require unpacks to {}, and {} has {} left: make room there",
              human_bytes(static_cast<double>(unpacked_bytes)), wheels.string(),
              human_bytes(static_cast<double>(free)));
}

Status BuildEnvironments::run(std::string_view doing, Command command, const fs::path& writable,
                              std::stop_token stop) const {
  send_line(progress_, doing);
  command.time_limit = std::chrono::hours(2);
  command.on_output_line = [this](std::string_view line) { send_line(progress_, one_line(line)); };
  TBCI_ASSIGN(const ProcessOutcome outcome, pip_.run(command, writable, std::move(stop)));
  if (outcome.succeeded()) return {};
  Error trouble = pip_failure(doing, outcome, command);
  // Of a nightly's packages that may be the machine's pip; of these it is what the commit asks for.
  if (!pip_conflict(outcome.output).empty()) trouble.kind = ErrorKind::failed;
  return pass_on(std::move(trouble));
}

}  // namespace tbci::runner
