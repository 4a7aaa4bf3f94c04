#include "runner/nightly/pip_installation.hpp"

#include <algorithm>
#include <csignal>

#include "base/file.hpp"
#include "base/text.hpp"
#include "runner/nightly/installed_files.hpp"
#include "runner/nightly/uv_tool.hpp"
#include "runner/nightly/wheel_check.hpp"
#include "runner/source/machine_trouble.hpp"

namespace tbci::runner {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_report_bytes = std::size_t{64} << 20;

// The names of PyTorch's own indexes say what they contain (.../cpu, .../cu130); those of other indexes do not.
bool names_its_contents(std::string_view index_url) {
  return index_url.starts_with("https://download.pytorch.org/whl/");
}

fs::path wheels_of(const Venv& venv) {
  return venv.folder / "wheels";
}

Result<std::vector<fs::path>> list_wheels(const Venv& venv) {
  std::vector<fs::path> wheels;
  std::error_code error;
  for (fs::directory_iterator at(wheels_of(venv), error), end; !error && at != end; at.increment(error))
    wheels.push_back(at->path());
  if (error) return fail(ErrorKind::machine, "cannot list {}: {}", wheels_of(venv).string(), error.message());
  std::ranges::sort(wheels);
  return wheels;
}

}  // namespace

Status PipInstallation::make(const Venv& venv, const std::string& version, std::stop_token stop) const {
  const std::string requirement = settings_.package + "==" + version;
  TBCI_ASSIGN(Way way, first_way(stop));
  Chosen chosen;
  Status placed;
  do {
    TBCI_ASSIGN(chosen, prepare(venv, requirement, way, stop));
    placed = place(venv, requirement, chosen, way, stop);
  } while (!placed && another_way(way, placed.error()));
  // What is at fault is not tried again either. After a stop, or without room, they are taken up again.
  if (placed || placed.error().kind == ErrorKind::failed) downloads_.forget(chosen.missing);
  TBCI_TRY(placed);
  TBCI_TRY(try_torch(venv, requirement, stop));
  TBCI_TRY(keep_wheel_list(venv, chosen.wheels));
  return venv.complete(requirement, way.uv ? "uv " + *way.uv : std::string("pip"));
}

Result<PipInstallation::Way> PipInstallation::first_way(std::stop_token stop) const {
  if (settings_.unpacker == WheelUnpacker::pip) return Way{};
  Command command = uv_version();
  const auto outcome = pip_.run(command, {}, std::move(stop));
  const bool answered = outcome && outcome->succeeded();
  TBCI_ASSIGN(auto uv, usable_uv(settings_.unpacker,
                                 answered ? parse_uv_version(outcome->output) : std::optional<std::string>()));
  return Way{.uv = std::move(uv)};
}

bool PipInstallation::another_way(Way& way, const Error& error) const {
  if (error.kind != ErrorKind::failed || (!way.uv && !way.shares)) return false;
  const std::string_view next = way.uv ? "pip unpacks it again" : "tbci installs it again without the files of others";
  send_line(progress_, fmt::format("{}; {}", error.message, next));
  if (!way.uv) way.shares = false;
  way.uv.reset();
  return true;
}

// Up to the wheels that lie there, checked.
Result<PipInstallation::Chosen> PipInstallation::prepare(const Venv& venv, const std::string& requirement,
                                                         const Way& way, std::stop_token stop) const {
  TBCI_TRY(remove_tree(venv.folder));
  TBCI_TRY(make_directories(wheels_of(venv)));
  Command create;
  create.arguments = {settings_.python, "-I", "-m", "venv", venv.folder.string()};
  create.environment = {{"LC_ALL", "C.UTF-8"}};
  TBCI_TRY(run("creating a venv for " + requirement, std::move(create), venv, stop));
  Chosen chosen;
  TBCI_ASSIGN(chosen.wheels, resolve(venv, requirement, stop));
  TBCI_TRY(refuse_cuda(requirement, chosen.wheels));
  TBCI_ASSIGN(const fs::path packages, venv.packages());
  if (way.shares) chosen.shared = SharedPackages::read(venv.folder.parent_path(), venv);
  for (const ResolvedWheel& wheel : chosen.wheels) {
    if (!chosen.shared.link_package(wheel, packages)) chosen.missing.push_back(wheel);
  }
  const std::size_t here = chosen.wheels.size() - chosen.missing.size();
  if (here > 0) send_line(progress_, fmt::format("{} of {} packages are here already", here, chosen.wheels.size()));
  if (chosen.wheels.empty() || !chosen.missing.empty()) TBCI_TRY(fetch(venv, requirement, chosen.missing, stop));
  const Status checked = check_wheels(venv, chosen.missing);
  if (!checked) downloads_.forget(chosen.missing);
  TBCI_TRY(checked);
  return chosen;
}

// From there to files that are what their wheels list.
Status PipInstallation::place(const Venv& venv, const std::string& requirement, const Chosen& chosen, const Way& way,
                              std::stop_token stop) const {
  TBCI_TRY(unpack(venv, requirement, way, stop));
  TBCI_ASSIGN(const fs::path packages, venv.packages());
  chosen.shared.link_files(packages);
  send_line(progress_, "checking the files of " + requirement);
  TBCI_TRY(check_installed_files(venv.folder, packages));
  if (!way.uv) return {};
  // Only now: starting an interpreter runs what the packages bring for that.
  Command compile = compile_bytecode(venv, packages);
  TBCI_ASSIGN(const ProcessOutcome outcome, pip_.run(compile, venv.folder, std::move(stop)));
  if (outcome.interrupted) return fail(ErrorKind::interrupted, "compiling the files of {}: stopped", requirement);
  return {};  // a file without bytecode costs time at each start, and nothing else
}

Status PipInstallation::run(std::string_view doing, Command command, const Venv& venv, std::stop_token stop) const {
  send_line(progress_, doing);
  command.time_limit = std::chrono::hours(2);
  command.on_output_line = [this](std::string_view line) { send_line(progress_, one_line(line)); };
  TBCI_ASSIGN(const ProcessOutcome outcome, pip_.run(command, venv.folder, std::move(stop)));
  if (!outcome.succeeded()) return tl::unexpected(pip_failure(doing, outcome, command));
  return {};
}

// Nothing where this pip cannot say.
Result<std::vector<ResolvedWheel>> PipInstallation::resolve(const Venv& venv, const std::string& requirement,
                                                            std::stop_token stop) const {
  const std::string doing = "asking pip what " + requirement + " would install";
  send_line(progress_, doing);
  const fs::path report = venv.folder / "report.json";
  Command command =
      pip_.reading_index(venv.python(), {"install", "--dry-run", "--report", report.string(), requirement});
  command.time_limit = std::chrono::hours(1);
  TBCI_ASSIGN(const ProcessOutcome outcome, pip_.run(command, venv.folder, std::move(stop)));
  if (contains(outcome.error, "no such option")) return std::vector<ResolvedWheel>{};
  if (!outcome.succeeded()) return tl::unexpected(pip_failure(doing, outcome, command));
  TBCI_ASSIGN(const std::string text, read_file(report, longest_report_bytes));
  return resolved_wheels(text);
}

Status PipInstallation::refuse_cuda(const std::string& requirement, const std::vector<ResolvedWheel>& wheels) const {
  if (settings_.allow_cuda || names_its_contents(settings_.index_url)) return {};
  if (wheels.empty()) {
    return fail(ErrorKind::machine,
                "this pip cannot report what {} would install: upgrade it to 22.2 or newer, use an index of "
                "download.pytorch.org, or set allow_cuda in [subject.nightlies]",
                requirement);
  }
  const std::vector<std::string> cuda = cuda_packages(wheels);
  if (cuda.empty()) return {};
  return fail(ErrorKind::usage,
              "{} would install several GB of CUDA ({} and {} more): set index in [subject.nightlies] to {}, or "
              "set allow_cuda there",
              requirement, cuda.front(), cuda.size() - 1, pytorch_nightly_index);
}

Status PipInstallation::fetch(const Venv& venv, const std::string& requirement,
                              const std::vector<ResolvedWheel>& wheels, std::stop_token stop) const {
  TBCI_ASSIGN(const std::vector<ResolvedWheel> left, downloads_.fetch(wheels, wheels_of(venv), stop));
  if (left.empty() && !wheels.empty()) return {};
  return download(venv, requirement, left, std::move(stop));
}

// By pip: the wheels by their digests; where it could not say which they are, the package with all that it needs.
Status PipInstallation::download(const Venv& venv, const std::string& requirement,
                                 const std::vector<ResolvedWheel>& wheels, std::stop_token stop) const {
  std::vector<std::string> arguments = {"download", "--progress-bar", "off", "--dest", wheels_of(venv).string()};
  if (wheels.empty()) {
    arguments.push_back(requirement);
  } else {
    const fs::path requirements = venv.folder / "requirements.txt";
    TBCI_TRY(write_file_atomically(requirements, requirements_for(wheels)));
    arguments.insert(arguments.end(), {"--no-deps", "--requirement", requirements.string()});
  }
  return run("downloading " + requirement, pip_.asking_index(venv.python(), std::move(arguments)), venv,
             std::move(stop));
}

Status PipInstallation::check_wheels(const Venv& venv, const std::vector<ResolvedWheel>& wheels) const {
  const bool digests_known =
      !wheels.empty() && std::ranges::none_of(wheels, [](const auto& wheel) { return wheel.sha256.empty(); });
  TBCI_ASSIGN(const std::vector<fs::path> files, list_wheels(venv));
  std::uint64_t unpacked_bytes = 0;
  for (const fs::path& file : files) {
    const auto contents = check_wheel(file);
    // With its digest it is what the publisher made; without, what the network has left of it.
    if (!contents && contents.error().kind == ErrorKind::transient && digests_known)
      return fail(ErrorKind::failed, "{}", contents.error().message);
    if (!contents) return pass_on(contents.error());
    unpacked_bytes += contents->unpacked_bytes;
  }
  TBCI_ASSIGN(const std::uint64_t free, free_bytes(venv.folder));
  if (free >= unpacked_bytes) return {};
  return fail(ErrorKind::machine, "the wheels unpack to {}, and {} has {} left: make room there",
              human_bytes(static_cast<double>(unpacked_bytes)), venv.folder.string(),
              human_bytes(static_cast<double>(free)));
}

Status PipInstallation::unpack(const Venv& venv, const std::string& requirement, const Way& way,
                               std::stop_token stop) const {
  TBCI_ASSIGN(const std::vector<fs::path> wheels, list_wheels(venv));
  if (!wheels.empty() && way.uv) {
    TBCI_TRY(unpack_by_uv(venv, requirement, *way.uv, wheels, std::move(stop)));
  } else if (!wheels.empty()) {
    std::vector<std::string> arguments = {"install", "--progress-bar", "off", "--no-index", "--no-deps"};
    for (const fs::path& wheel : wheels) arguments.push_back(wheel.string());
    TBCI_TRY(run("unpacking " + requirement + " with pip", pip_.offline(venv.python(), std::move(arguments)), venv,
                 std::move(stop)));
  }
  return remove_tree(wheels_of(venv));
}

// Whatever goes wrong here is of kind `failed`: pip tries it, and what it says is known.
Status PipInstallation::unpack_by_uv(const Venv& venv, const std::string& requirement, const std::string& uv,
                                     const std::vector<fs::path>& wheels, std::stop_token stop) const {
  const std::string doing = fmt::format("unpacking {} with uv {}", requirement, uv);
  send_line(progress_, doing);
  Command command = uv_install(venv, wheels);
  const auto outcome = pip_.run(command, venv.folder, std::move(stop));
  if (outcome && outcome->interrupted) return fail(ErrorKind::interrupted, "{}: stopped", doing);
  if (!outcome) return fail(ErrorKind::failed, "{}: {}", doing, outcome.error().message);
  if (!outcome->succeeded()) {
    return fail(ErrorKind::failed, "{}: {}: {}", doing, describe(*outcome, command.time_limit),
                one_line(outcome->error, 300));
  }
  return remove_tree(uv_cache_of(venv));
}

// A nightly that cannot add is broken, whatever a worker would find out by hours of compiling.
Status PipInstallation::try_torch(const Venv& venv, const std::string& requirement, std::stop_token stop) const {
  TBCI_ASSIGN(const fs::path torch, find_torch(venv));
  std::error_code ignored;
  if (!fs::exists(torch / "__init__.py", ignored)) return {};  // its libraries alone
  send_line(progress_, "importing " + requirement);
  Command command;
  command.arguments = {venv.python().string(), "-I", "-c",
                       "import torch; assert (torch.ones(2) + 1).sum().item() == 4, 'an addition is wrong'"};
  command.environment = {{"LC_ALL", "C.UTF-8"}};
  command.time_limit = std::chrono::minutes(10);
  TBCI_ASSIGN(const ProcessOutcome outcome, pip_.run(command, venv.folder, std::move(stop)));
  if (outcome.succeeded()) return {};
  const bool says_nothing = outcome.interrupted || outcome.left_behind ||
                            (outcome.signal == SIGKILL && !outcome.timed_out) ||
                            !machine_trouble_of_worker(outcome.error).empty();
  if (says_nothing) return tl::unexpected(pip_failure("importing " + requirement, outcome, command));
  const std::string error(trim(outcome.error));
  return fail(ErrorKind::failed, "{} does not import: {}: {}", requirement, describe(outcome, command.time_limit),
              one_line(error.substr(error.rfind('\n') + 1), 300));
}

}  // namespace tbci::runner
