#include "github/github_channel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/address.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "github/api.hpp"
#include "github/markdown.hpp"
#include "github/report.hpp"

namespace tbci::github {

namespace {

// How far our clock and GitHub's may differ.
constexpr std::chrono::minutes clock_difference{10};

bool is_repository(std::string_view name) {
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
  const std::size_t slash = name.find('/');
  if (slash == std::string_view::npos) return false;
  for (const std::string_view part : {name.substr(0, slash), name.substr(slash + 1)}) {
    if (part.empty() || part == "." || part == ".." || part.find_first_not_of(allowed) != std::string_view::npos) {
      return false;
    }
  }
  return true;
}

// The number of an issue at the end of its address.
std::optional<std::int64_t> number_in(std::string_view address) {
  constexpr std::string_view before = "/issues/";
  const std::size_t at = address.rfind(before);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view digits = address.substr(at + before.size());
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool whole = error == std::errc() && end == digits.data() + digits.size() && value > 0;
  return whole ? std::optional(value) : std::nullopt;
}

// Logins have no case.
bool same_login(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

bool is_made_by(const Issue& issue, const std::string& login) {
  return login.empty() || same_login(issue.author, login) || same_login(issue.app + "[bot]", login);
}

std::string without_returns(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), '\r'), text.end());
  return std::string(trim(text));
}

class GithubChannel final : public Channel {
 public:
  GithubChannel(const GithubSettings& settings, HttpClient& http, const Clock& clock)
      : settings_(settings), api_(settings, http, clock), clock_(clock) {}

  std::string name() const override { return "github"; }

  Attempt deliver(const Dispatch& dispatch, std::stop_token stop) override {
    Attempt attempt = deliver_once(dispatch, stop);
    attempt.error.message = api_.hidden(attempt.error.message);
    attempt.reference = api_.hidden(attempt.reference);
    return attempt;
  }

 private:
  using Found = Or<std::optional<Issue>>;

  Attempt deliver_once(const Dispatch& dispatch, std::stop_token stop) {
    const Found found = earlier_issue(dispatch, stop);
    if (!found) return found.error();
    const std::optional<Issue>& issue = *found;
    if (!issue) return file_issue(dispatch, stop);
    if (dispatch.report.revision == 1) return Attempt::delivered(address_of(*issue));
    return add_revision(dispatch, *issue, stop);
  }

  // The issue with the marker, open or closed; nothing if there is none.
  Found earlier_issue(const Dispatch& dispatch, std::stop_token stop) {
    Found found = referred_issue(dispatch, stop);
    if (!found || *found) return found;
    found = labelled_issue(dispatch, stop);
    if (!found || *found || !dispatch.attempted) return found;
    return issue_since(*dispatch.attempted - clock_difference, dispatch, stop);
  }

  static bool has_it(const Issue& issue, const Dispatch& dispatch) {
    return !issue.pull_request && has_marker(issue.body, dispatch.report.marker);
  }

  Found referred_issue(const Dispatch& dispatch, std::stop_token stop) {
    const auto number = number_in(dispatch.reference);
    if (!number) return std::nullopt;
    const Found found = api_.get_issue(*number, stop);
    if (!found) return found;
    const std::optional<Issue>& issue = *found;
    return issue && has_it(*issue, dispatch) ? issue : std::nullopt;
  }

  Found labelled_issue(const Dispatch& dispatch, std::stop_token stop) {
    std::optional<Issue> found;
    const auto visit = [&](const Issue& issue) {
      if (has_it(issue, dispatch)) found = issue;
      return !found;
    };
    const auto listing = api_.list_issues({.labels = {std::string(report_label)}}, visit, stop);
    if (!listing) return tl::unexpected(listing.error());
    if (*listing == Listing::cut) {
      log::warning("looking for an earlier issue in {}: read only the newest {} pages: one may have been missed",
                   settings_.repository, settings_.most_pages);
    }
    return found;
  }

  // The answer to an earlier request was lost, and without push access GitHub drops the label. GitHub filters by
  // the time of the last change, which is never before that at which the issue was made.
  Found issue_since(TimePoint earliest, const Dispatch& dispatch, std::stop_token stop) {
    const auto login = api_.who_am_i(stop);
    if (!login) return tl::unexpected(login.error());
    IssueFilter filter{.since = earliest};
    // Whether GitHub's filter knows an App by this name is not documented. What it leaves out would be filed twice.
    if (!settings_.app) filter.creator = *login;
    std::optional<Issue> found;
    const auto visit = [&](const Issue& issue) {
      if (issue.created && *issue.created < earliest) return false;
      if (has_it(issue, dispatch) && is_made_by(issue, *login)) found = issue;
      return !found;
    };
    const auto listing = api_.list_issues(filter, visit, stop);
    if (!listing) return tl::unexpected(listing.error());
    if (*listing == Listing::cut) return tl::unexpected(too_many(earliest));
    if (found) check_labels(*found);
    return found;
  }

  // One may have been missed, so nothing is filed.
  Attempt too_many(TimePoint earliest) const {
    Attempt attempt = Attempt::retry(
        {ErrorKind::failed,
         fmt::format(
             "an earlier request may have filed this report in {} after {}, and there are too many issues since "
             "then to look through: give the token push access, or set the label '{}' on the issue if it is "
             "there",
             settings_.repository, to_iso8601(earliest), report_label)},
        clock_.now() + wait_for_a_person);
    attempt.only_this = true;
    return attempt;
  }

  // A revision that was not added yet becomes a comment.
  Attempt add_revision(const Dispatch& dispatch, const Issue& issue, std::stop_token stop) {
    const model::Report& report = dispatch.report;
    if (issue.number <= 0) return no_json("adding to " + address_of(issue));
    // The request whose answer was lost filed the issue with this text already.
    if (dispatch.attempted && without_returns(issue.body) == without_returns(report.body)) {
      return Attempt::delivered(address_of(issue));
    }
    const std::string marker = revision_marker(report);
    const auto visit = [&](const Comment& comment) { return !has_marker(comment.body, marker); };
    const auto listing = api_.list_comments(issue.number, visit, stop);
    if (!listing) return listing.error();
    if (*listing == Listing::stopped) return Attempt::delivered(address_of(issue));
    const auto comment = api_.create_comment(issue.number, revision_comment(report), {dispatch.before_write, stop});
    return comment ? Attempt::delivered(address_of(issue)) : comment.error();
  }

  Attempt file_issue(const Dispatch& dispatch, std::stop_token stop) {
    const model::Report& report = dispatch.report;
    const auto issue = api_.create_issue({report.title, report.body, report.labels}, {dispatch.before_write, stop});
    if (!issue) return issue.error();
    check_labels(*issue);
    return Attempt::delivered(address_of(*issue));
  }

  void check_labels(const Issue& issue) {
    const bool there = std::find(issue.labels.begin(), issue.labels.end(), report_label) != issue.labels.end();
    if (there || std::exchange(told_of_labels_, true)) return;
    log::warning(
        "{}: GitHub dropped the label '{}', which tbci needs to find earlier issues: give the token push access",
        address_of(issue), report_label);
  }

  // The page of the issue. An answer without one is still a delivery: then the list has to do.
  std::string address_of(const Issue& issue) const {
    if (!issue.address.empty()) return issue.address;
    return fmt::format("{}/repos/{}/issues", settings_.base_url, settings_.repository);
  }

  GithubSettings settings_;
  Api api_;
  const Clock& clock_;
  bool told_of_labels_ = false;
};

Status check(const AppSettings& app) {
  const bool clean = std::all_of(app.id.begin(), app.id.end(), [](char c) { return c > ' ' && c <= '~'; });
  if (app.id.empty() || !clean || app.installation <= 0) {
    return fail(ErrorKind::usage, "a GitHub App needs its client id, and the number of its installation");
  }
  return {};
}

Status check(const GithubSettings& settings) {
  if (!is_repository(settings.repository)) {
    return fail(ErrorKind::usage, "'{}' is not a GitHub repository: write owner/name, as in pytorch/pytorch",
                plain_line(settings.repository, 80));
  }
  if (!is_safe_address(settings.base_url)) {
    return fail(ErrorKind::usage, "'{}' is not a URL of GitHub's API: write https://HOST (http only to this machine)",
                plain_line(settings.base_url, 120));
  }
  if (settings.most_pages < 1 || settings.most_writes_in_an_hour < 1) {
    return fail(ErrorKind::usage, "the channel to GitHub must be allowed a page and a write in an hour");
  }
  return settings.app ? check(*settings.app) : Status();
}

}  // namespace

Result<std::unique_ptr<Channel>> make_github_channel(const GithubSettings& settings, HttpClient& http,
                                                     const Clock& clock) {
  TBCI_TRY(check(settings));
  GithubSettings cleaned = settings;
  while (cleaned.base_url.back() == '/') cleaned.base_url.pop_back();
  return std::make_unique<GithubChannel>(cleaned, http, clock);
}

}  // namespace tbci::github
