#include "runner/nightly/pip_nightlies.hpp"

#include <sys/utsname.h>

#include <algorithm>

#include "base/file.hpp"
#include "base/git.hpp"
#include "base/text.hpp"
#include "runner/libtorch.hpp"
#include "runner/nightly/index_listing.hpp"
#include "runner/nightly/package_record.hpp"
#include "runner/nightly/pip_text.hpp"

namespace tbci::runner {

namespace {

namespace fs = std::filesystem;

// As platform tags of wheels end.
std::string machine_architecture() {
  utsname facts{};
  return ::uname(&facts) == 0 ? std::string(facts.machine) : std::string();
}

}  // namespace

PipNightlies::PipNightlies(NightlySettings settings, PipPlace place, ProcessRunner& processes, LineSink progress,
                           std::optional<IndexAccess> index)
    : settings_(std::move(settings)),
      place_(std::move(place)),
      processes_(processes),
      progress_(std::move(progress)),
      index_(std::move(index)) {
  place_.venvs = fs::absolute(place_.venvs);
}

Result<std::vector<std::string>> PipNightlies::versions(std::stop_token stop) {
  const std::string doing = "listing the versions of " + settings_.package;
  const PipTool pip = tool();
  Command command = pip.reading_index(settings_.python, {"index", "versions", settings_.package});
  command.time_limit = std::chrono::minutes(10);
  TBCI_ASSIGN(const ProcessOutcome outcome, pip.run(command, {}, stop));
  if (outcome.succeeded()) return parse_pip_index(outcome.output);
  if (!contains(outcome.error, "unknown command")) return tl::unexpected(pip_failure(doing, outcome, command));
  // A pip before 21.2 lists them in the error message for a version that does not exist.
  command = pip.reading_index(settings_.python, {"install", "--no-deps", settings_.package + "==0+no.such.version"});
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
  read_page(stop);
  const Labels labels = labels_of(found, settings_.label);
  TBCI_TRY(usable_labels(labels, found));
  std::vector<model::Nightly> nightlies = merge_listing(found, page_,
                                                        {.package = settings_.package,
                                                         .machine = machine_architecture(),
                                                         .pre_releases = settings_.pre_releases,
                                                         .labels = labels});
  if (nightlies.size() > settings_.listed)
    nightlies.erase(nightlies.begin(), nightlies.end() - static_cast<std::ptrdiff_t>(settings_.listed));
  return nightlies;
}

Status PipNightlies::usable_labels(const Labels& labels, const std::vector<std::string>& found) const {
  const bool none_kept = std::ranges::none_of(found, [&](const auto& version) { return is_kept(labels, version); });
  if (labels.only_kept && none_kept && !found.empty()) {
    return fail(ErrorKind::usage,
                "the index has no {} with the label '{}', as in {}: correct label in "
                "[subject.nightlies]",
                settings_.package, labels.kept, one_line(found.back(), 80));
  }
  if (!labels.others.empty()) {
    send_line(progress_, fmt::format("the index has several builds of {}: tbci takes those with '{}', unless label in "
                                     "[subject.nightlies] says another",
                                     one_line(*labels.several.rbegin(), 80), one_line("+" + labels.kept, 80)));
  }
  return {};
}

// What pip says is enough to go on with: a page that cannot be read costs dates, sizes, and what was taken back.
void PipNightlies::read_page(const std::stop_token& stop) {
  if (!index_) return;
  const std::string address = tool().index_address(stop);
  if (!address.starts_with("http") || holds_credentials(address)) return;
  HttpRequest request;
  request.url = address + (address.ends_with('/') ? "" : "/") + normalized_package(settings_.package) + "/";
  request.headers = {{"Accept", "application/vnd.pypi.simple.v1+json, text/html;q=0.2"}};
  request.time_limit = std::chrono::minutes(2);
  request.stop = stop;
  request.certificates = index_->certificates;
  request.redirects = 5;
  const auto response = index_->http.send(request);
  auto files =
      response && response->status == 200 ? parse_index_page(response->body) : Result<std::vector<IndexFile>>();
  if (response && response->status == 200 && files) {
    page_ = std::move(*files);
    return;
  }
  const std::string why = !response                 ? response.error().message
                          : response->status != 200 ? fmt::format("{} answered {}", request.url, response->status)
                                                    : files.error().message;
  send_line(progress_, "no dates, sizes and yanked versions: " + one_line(why));
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
      const Status made =
          PipInstallation(
              settings_, pip,
              WheelDownloads(index_, place_.cache.empty() ? fs::path() : fs::absolute(place_.cache) / "wheels",
                             progress_),
              progress_)
              .make(venv, nightly.name, stop);
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
