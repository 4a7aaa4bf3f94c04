#include "github/culprit_pull.hpp"

#include "github/issue_home.hpp"

namespace tbci::github {

Api& CulpritPulls::api_of(const std::string& repository) {
  if (same_login(repository, settings_.repository)) return api_;
  std::unique_ptr<Api>& other = others_[repository];
  if (!other) {
    GithubSettings settings = settings_;
    settings.repository = repository;
    other = std::make_unique<Api>(settings, http_, clock_);
  }
  return *other;
}

Or<std::optional<CulpritPull>> CulpritPulls::of(const model::Report& report, std::stop_token stop) {
  const auto address = pull_address(report.pull_request, settings_.base_url);
  if (!address || report.culprits.size() != 1) return std::nullopt;
  const auto pull = api_of(address->repository).get_issue(address->number, stop);
  if (!pull) return tl::unexpected(pull.error());
  if (!*pull || !(*pull)->pull_request) return std::nullopt;
  const auto belongs = brought(*address, report.culprits.front(), stop);
  if (!belongs) return tl::unexpected(belongs.error());
  if (!*belongs) return std::nullopt;
  const std::string& author = (*pull)->author;
  return CulpritPull{*address, is_login(author) ? author : ""};
}

// GitHub merges by itself, or somebody pushes a commit whose message closes the pull request, as PyTorch does.
Or<bool> CulpritPulls::brought(const PullAddress& pull, const std::string& commit, std::stop_token stop) {
  Api& api = api_of(pull.repository);
  bool found = false;
  const auto events = api.list_events(
      pull.number,
      [&](const IssueEvent& event) {
        found = (event.kind == "closed" || event.kind == "merged") && event.commit == commit;
        return !found;
      },
      stop);
  if (!events) return tl::unexpected(events.error());
  if (found) return true;
  const auto pulls = api.list_pull_requests(
      commit,
      [&](const PullRequest& one) {
        found = one.number == pull.number && one.merged.has_value();
        return !found;
      },
      stop);
  if (!pulls) return tl::unexpected(pulls.error());
  return found;
}

}  // namespace tbci::github
