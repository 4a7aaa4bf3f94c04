#include "runner/nightly/pip_nightlies.hpp"

#include <csignal>

#include "base/file.hpp"
#include "base/git.hpp"
#include "base/text.hpp"
#include "runner/environment/facts.hpp"
#include "runner/libtorch.hpp"
#include "runner/nightly/pip_environment.hpp"
#include "runner/nightly/pip_text.hpp"
#include "runner/source/machine_trouble.hpp"

namespace tbci::runner {

namespace {

namespace fs = std::filesystem;

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Whether pip says that the index has other versions and not the one that was asked for. An index that does not answer,
// or answers 503, has no versions at all for pip: it says so in the words it has for a package that does not exist.
bool has_only_others(std::string_view said) {
  return has(said, "(from versions:") && !has(said, "(from versions: none)");
}

// A network failure may pass; a missing version will stay missing.
tl::unexpected<Error> pip_failed(std::string_view doing, const ProcessOutcome& outcome, const Command& command) {
  if (outcome.interrupted) return fail(ErrorKind::interrupted, "{}: stopped", doing);
  const std::string& said = outcome.error;
  ErrorKind kind = ErrorKind::machine;
  if (has(said, "No matching distribution found") || has(said, "Could not find a version"))
    kind = has_only_others(said) ? ErrorKind::failed : ErrorKind::transient;
  for (const char* words :
       {"ConnectionError", "NewConnectionError", "ReadTimeout", "Connection broken", "HTTP error 5"}) {
    if (has(said, words)) kind = ErrorKind::transient;
  }
  if (outcome.timed_out || has(said, "Max retries exceeded")) kind = ErrorKind::transient;
  const std::string trouble = machine_trouble(said);
  if (!trouble.empty()) kind = trouble.starts_with(network_trouble) ? ErrorKind::transient : ErrorKind::machine;
  if (outcome.signal == SIGKILL && !outcome.timed_out) kind = ErrorKind::killed;
  std::string why;
  for (const std::string& line : split(said, '\n')) {
    if (line.starts_with("ERROR:")) why = one_line(line, 300);
  }
  if (why.empty()) why = one_line(said.empty() ? outcome.output : said, 300);
  if (kind == ErrorKind::transient && has(said, "No matching distribution found"))
    why += " (the index does not answer, or has no such package)";
  return fail(kind, "{}: {}: {}", doing, describe(outcome, command.time_limit), why);
}

// The names of PyTorch's own indexes say what they contain (.../cpu, .../cu130); those of other indexes do not.
bool names_its_contents(std::string_view index_url) {
  return index_url.starts_with("https://download.pytorch.org/whl/");
}

Result<fs::path> find_torch(const fs::path& venv) {
  std::error_code ignored;
  for (const char* lib : {"lib", "lib64"}) {
    for (fs::directory_iterator at(venv / lib, ignored), end; !ignored && at != end; at.increment(ignored)) {
      const fs::path torch = at->path() / "site-packages/torch";
      if (fs::exists(torch / "version.py", ignored)) return torch;
    }
  }
  return fail(ErrorKind::failed, "{} was installed, but contains no torch; check the package name", venv.string());
}

}  // namespace

struct PipNightlies::Venv {
  fs::path folder;
  fs::path python() const { return folder / "bin/python"; }
  // Written last: a venv without it is incomplete. (A venv contains its own path, so it cannot be renamed into place.)
  fs::path marker() const { return folder / ".complete"; }
};

PipNightlies::PipNightlies(NightlySettings settings, PipPlace place, ProcessRunner& processes, LineSink progress)
    : settings_(std::move(settings)), place_(std::move(place)), processes_(processes), progress_(std::move(progress)) {
  place_.venvs = fs::absolute(place_.venvs);
}

std::vector<std::string> PipNightlies::options() const {
  std::vector<std::string> arguments = {"--only-binary=:all:"};
  if (settings_.pre_releases) arguments.emplace_back("--pre");
  arguments.insert(arguments.end(), settings_.pip_arguments.begin(), settings_.pip_arguments.end());
  return arguments;
}

Command PipNightlies::pip(const fs::path& python, std::vector<std::string> arguments) const {
  Command command;
  // -I: neither the current folder, nor PYTHONPATH, nor packages of the user.
  command.arguments = {python.string(), "-I", "-m", "pip", "--disable-pip-version-check", "--no-input"};
  command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
  command.environment = pip_environment(settings_.index_url, own_variables());
  command.environment["LC_ALL"] = "C.UTF-8";
  if (!place_.cache.empty()) command.environment.try_emplace("PIP_CACHE_DIR", fs::absolute(place_.cache).string());
  command.inherited = Inherited::for_fetching;
  return command;
}

// `venv`: the folder that it may write besides its home and its cache; empty: none.
Result<ProcessOutcome> PipNightlies::run_pip(Command& command, const fs::path& venv, std::stop_token stop) {
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

Result<std::vector<std::string>> PipNightlies::versions(std::stop_token stop) {
  const std::string doing = "listing the versions of " + settings_.package;
  const auto with_options = [this](std::vector<std::string> arguments) {
    const auto more = options();
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  };
  Command command = pip(settings_.python, with_options({"index", "versions", settings_.package}));
  command.time_limit = std::chrono::minutes(10);
  TBCI_ASSIGN(const ProcessOutcome outcome, run_pip(command, {}, stop));
  if (outcome.succeeded()) return parse_pip_index(outcome.output);
  if (outcome.error.find("unknown command") == std::string::npos) return pip_failed(doing, outcome, command);
  // A pip before 21.2 lists them in the error message for a version that does not exist.
  command = pip(settings_.python, with_options({"install", "--no-deps", settings_.package + "==0+no.such.version"}));
  command.time_limit = std::chrono::minutes(10);
  TBCI_ASSIGN(const ProcessOutcome complaint, run_pip(command, {}, stop));
  if (complaint.interrupted || complaint.timed_out || !has_only_others(complaint.error))
    return pip_failed(doing, complaint, command);
  return parse_pip_complaint(complaint.error);
}

Status PipNightlies::usable_settings() const {
  if (settings_.package.empty() || settings_.package.starts_with('-'))
    return fail(ErrorKind::usage, "'{}' is not a package name: set package in [subject.nightlies]", settings_.package);
  for (const std::string& argument : settings_.pip_arguments) {
    // The message does not show it, because errors appear in logs and on pages.
    if (holds_credentials(argument)) {
      return fail(ErrorKind::usage,
                  "pip_arguments has an address with a user or a password, which everybody on this machine could read: "
                  "set index in [subject.nightlies], or leave that empty and set PIP_EXTRA_INDEX_URL for tbci");
    }
  }
  return {};
}

Result<std::vector<model::Nightly>> PipNightlies::list(std::stop_token stop) {
  TBCI_TRY(usable_settings());
  TBCI_ASSIGN(const std::vector<std::string> found, versions(stop));
  listed_ = {found.begin(), found.end()};
  newest_ = found.empty() ? std::string() : found.back();
  std::vector<model::Nightly> nightlies;
  const std::size_t skipped = found.size() > settings_.listed ? found.size() - settings_.listed : 0;
  for (std::size_t i = skipped; i < found.size(); ++i) nightlies.push_back({.name = found[i], .commit = {}});
  return nightlies;
}

Result<model::Product> PipNightlies::install(const model::Nightly& nightly, std::stop_token stop) {
  static constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.+!_-";
  const bool digit_first = !nightly.name.empty() && nightly.name.front() >= '0' && nightly.name.front() <= '9';
  if (!digit_first || nightly.name.find_first_not_of(allowed) != std::string::npos)
    return fail(ErrorKind::usage, "'{}' is not a package version: see `tbci nightly list`", one_line(nightly.name, 80));
  TBCI_TRY(usable_settings());
  const Venv venv{place_.venvs / (settings_.package + "-" + nightly.name)};
  std::error_code ignored;
  if (!fs::exists(venv.marker(), ignored)) {
    auto lock = FileLock::acquire(place_.venvs / (venv.folder.filename().string() + ".lock"));
    if (!lock) return fail(std::move(lock).error(), "installing " + nightly.name);
    if (!fs::exists(venv.marker(), ignored)) {
      const Status made = make_venv(venv, nightly.name, stop);
      if (!made && made.error().kind == ErrorKind::failed && is_gone_for_now(nightly.name, made.error().message))
        return fail(ErrorKind::transient, "{}; the index listed it just now: try again later", made.error().message);
      TBCI_TRY(made);
    }
  }
  return product_of(venv);
}

bool PipNightlies::is_gone_for_now(const std::string& version, std::string_view said) const {
  if (!listed_.contains(version)) return false;
  if (has(said, "No matching distribution found for " + settings_.package + "==")) return true;
  return version == newest_ && has(said, "No matching distribution found for ");
}

Status PipNightlies::make_venv(const Venv& venv, const std::string& version, std::stop_token stop) {
  TBCI_TRY(remove_tree(venv.folder));
  TBCI_TRY(make_directories(venv.folder));
  const auto run = [&](std::string_view doing, Command command) -> Status {
    send_line(progress_, doing);
    command.time_limit = std::chrono::hours(2);
    command.on_output_line = [this](std::string_view line) { send_line(progress_, one_line(line)); };
    TBCI_ASSIGN(const ProcessOutcome outcome, run_pip(command, venv.folder, stop));
    if (!outcome.succeeded()) return pip_failed(doing, outcome, command);
    return {};
  };
  const std::string requirement = settings_.package + "==" + version;
  Command create;
  create.arguments = {settings_.python, "-I", "-m", "venv", venv.folder.string()};
  create.environment = {{"LC_ALL", "C.UTF-8"}};
  TBCI_TRY(run("creating a venv for " + requirement, std::move(create)));
  TBCI_TRY(refuse_cuda(venv, requirement, stop));
  std::vector<std::string> install = {"install", "--progress-bar", "off", requirement};
  const auto more = options();
  install.insert(install.end(), more.begin(), more.end());
  TBCI_TRY(run("installing " + requirement, pip(venv.python(), std::move(install))));
  TBCI_TRY(product_of(venv));
  return write_file_atomically(venv.marker(), requirement + "\n");
}

Status PipNightlies::refuse_cuda(const Venv& venv, const std::string& requirement, std::stop_token stop) {
  if (settings_.allow_cuda || names_its_contents(settings_.index_url)) return {};
  send_line(progress_, "asking pip what " + requirement + " would install");
  std::vector<std::string> ask = {"--quiet", "install", "--dry-run", "--report", "-", requirement};
  const auto more = options();
  ask.insert(ask.end(), more.begin(), more.end());
  Command command = pip(venv.python(), std::move(ask));
  command.time_limit = std::chrono::hours(1);
  command.kept_output_bytes = 64 << 20;
  TBCI_ASSIGN(const ProcessOutcome outcome, run_pip(command, venv.folder, stop));
  if (outcome.error.find("no such option") != std::string::npos) {
    return fail(ErrorKind::machine,
                "this pip cannot report what {} would install: upgrade it to 22.2 or newer, use an index of "
                "download.pytorch.org, or set allow_cuda in [subject.nightlies]",
                requirement);
  }
  if (!outcome.succeeded()) return pip_failed("asking pip what " + requirement + " would install", outcome, command);
  TBCI_ASSIGN(const std::vector<std::string> cuda, cuda_packages(outcome.output));
  if (cuda.empty()) return {};
  return fail(ErrorKind::usage,
              "{} would install several GB of CUDA ({} and {} more): set index in [subject.nightlies] to {}, or "
              "set allow_cuda there",
              requirement, cuda.front(), cuda.size() - 1, pytorch_nightly_index);
}

Result<model::Product> PipNightlies::product_of(const Venv& venv) const {
  model::Product product;
  TBCI_ASSIGN(product.libtorch, find_torch(venv.folder));
  TBCI_ASSIGN(const TorchVersion torch, read_torch_version(product.libtorch));
  product.python = venv.python();
  product.version = torch.version;
  product.commit = torch.git_version;
  std::error_code ignored;
  if (product.commit.empty() || !fs::exists(place_.repository / "HEAD", ignored)) return product;
  if (const auto repository = GitRepository::open(place_.repository)) {
    if (const auto commit = repository->resolve(product.commit)) {
      if (const auto main = main_commit_of_nightly(commit->message)) product.commit = *main;
    }
  }
  return product;
}

}  // namespace tbci::runner
