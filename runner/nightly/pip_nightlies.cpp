#include "runner/nightly/pip_nightlies.hpp"

#include "base/file.hpp"
#include "base/git.hpp"
#include "base/text.hpp"
#include "runner/libtorch.hpp"
#include "runner/nightly/pip_text.hpp"

namespace tbci::runner {

namespace {

namespace fs = std::filesystem;

}  // namespace

PipNightlies::PipNightlies(NightlySettings settings, PipPlace place, ProcessRunner& processes, LineSink progress)
    : settings_(std::move(settings)), place_(std::move(place)), processes_(processes), progress_(std::move(progress)) {
  place_.venvs = fs::absolute(place_.venvs);
}

Result<std::vector<std::string>> PipNightlies::versions(std::stop_token stop) {
  const std::string doing = "listing the versions of " + settings_.package;
  const PipTool pip = tool();
  Command command = pip.asking_index(settings_.python, {"index", "versions", settings_.package});
  command.time_limit = std::chrono::minutes(10);
  TBCI_ASSIGN(const ProcessOutcome outcome, pip.run(command, {}, stop));
  if (outcome.succeeded()) return parse_pip_index(outcome.output);
  if (!contains(outcome.error, "unknown command")) return tl::unexpected(pip_failure(doing, outcome, command));
  // A pip before 21.2 lists them in the error message for a version that does not exist.
  command = pip.asking_index(settings_.python, {"install", "--no-deps", settings_.package + "==0+no.such.version"});
  command.time_limit = std::chrono::minutes(10);
  TBCI_ASSIGN(const ProcessOutcome complaint, pip.run(command, {}, stop));
  if (complaint.interrupted || complaint.timed_out || !has_only_others(complaint.error))
    return tl::unexpected(pip_failure(doing, complaint, command));
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
      const PipTool pip = tool();
      const Status made = PipInstallation(settings_, pip, progress_).make(venv, nightly.name, stop);
      if (!made && made.error().kind == ErrorKind::failed && is_gone_for_now(nightly.name, made.error().message))
        return fail(ErrorKind::transient, "{}; the index listed it just now: try again later", made.error().message);
      TBCI_TRY(made);
    }
  }
  return product_of(venv);
}

bool PipNightlies::is_gone_for_now(const std::string& version, std::string_view said) const {
  if (!listed_.contains(version)) return false;
  if (contains(said, "No matching distribution found for " + settings_.package + "==")) return true;
  return version == newest_ && contains(said, "No matching distribution found for ");
}

Result<model::Product> PipNightlies::product_of(const Venv& venv) const {
  model::Product product;
  TBCI_ASSIGN(product.libtorch, find_torch(venv));
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
