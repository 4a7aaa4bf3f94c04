#include "github/issue_home.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/log.hpp"
#include "base/text.hpp"
#include "github/answers.hpp"
#include "github/issue_mark.hpp"
#include "github/report.hpp"

namespace tbci::github {

namespace {

bool has_it(const Issue& issue, const Dispatch& dispatch) {
  return !issue.pull_request && has_marker(issue.body, dispatch.report.marker);
}

// tbci closed it in favour of another, or a person did.
bool is_duplicate(const Issue& issue) {
  return issue.state == IssueState::closed && issue.reason == StateReason::duplicate;
}

// What begins again gets a new issue where persons locked the old one.
bool is_left(const Issue& issue, const Dispatch& dispatch) {
  return issue.locked && issue.state == IssueState::closed && dispatch.report.open;
}

bool is_about_same_culprit(const Issue& issue, const model::Report& report) {
  if (issue.pull_request || report.culprits.empty()) return false;
  const auto mark = mark_in(issue.body);
  return mark && model::is_same_culprit(mark->culprits, mark_of(report, true).culprits);
}

// Whether the issue at the known address is the report's.
std::optional<IssueHome> home_at(const Issue& issue, const Dispatch& dispatch) {
  if (has_it(issue, dispatch)) return IssueHome{issue, true};
  const bool in_comment = dispatch.reference.find('#') != std::string::npos;
  if (in_comment && is_about_same_culprit(issue, dispatch.report)) return IssueHome{issue, false};
  return std::nullopt;
}

bool is_made_by(const Issue& issue, const std::string& login) {
  return login.empty() || same_login(issue.author, login) || same_login(issue.app + "[bot]", login);
}

}  // namespace

bool same_login(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

std::optional<std::int64_t> issue_number_in(std::string_view address) {
  constexpr std::string_view before = "/issues/";
  const std::size_t at = address.rfind(before);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view digits = address.substr(at + before.size());
  digits = digits.substr(0, digits.find('#'));
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool whole = error == std::errc() && end == digits.data() + digits.size() && value > 0;
  return whole ? std::optional(value) : std::nullopt;
}

std::string as_compared(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), '\r'), text.end());
  return std::string(trim(text));
}

Or<IssueSearch> IssueHomes::find(const Dispatch& dispatch, std::stop_token stop) {
  IssueSearch search;
  bool gone = false;
  if (const auto number = issue_number_in(dispatch.reference)) {
    auto issue = api_.get_issue(*number, stop);
    if (!issue) return tl::unexpected(issue.error());
    gone = !*issue;
    // Its old address leads to the new one, and has the number by which it is known here.
    if (!gone && (*issue)->transferred) (*issue)->address = dispatch.reference.substr(0, dispatch.reference.find('#'));
    if (!gone && is_left(**issue, dispatch)) search.locked = number;
    if (!gone && !search.locked) search.home = home_at(**issue, dispatch);
  }
  if (search.home) return search;
  Found found = looked_for(dispatch, stop);
  if (!found) return tl::unexpected(found.error());
  search.home = *found;
  if (!search.home && gone && dispatch.delivered_revision > 0) return tl::unexpected(deleted(dispatch.reference));
  return search;
}

IssueHomes::Found IssueHomes::looked_for(const Dispatch& dispatch, std::stop_token stop) {
  Found found = labelled(dispatch, stop);
  if (!found || *found || !dispatch.attempted) return found;
  return made_since(*dispatch.attempted - clock_difference, dispatch, stop);
}

IssueHomes::Found IssueHomes::labelled(const Dispatch& dispatch, std::stop_token stop) {
  std::optional<IssueHome> found;
  const auto visit = [&](const Issue& issue) {
    if (is_duplicate(issue) || is_left(issue, dispatch)) return true;
    const bool own = has_it(issue, dispatch);
    if (own || is_about_same_culprit(issue, dispatch.report)) found = IssueHome{issue, own};  // the last is the oldest
    return !own;
  };
  const auto listing = api_.list_issues({.labels = {std::string(report_label)}}, visit, stop);
  if (!listing) return tl::unexpected(listing.error());
  if (*listing == Listing::cut) {
    log::warning("looking for an earlier issue in {}: read only the newest {} pages: one may have been missed",
                 settings_.repository, settings_.most_pages);
  }
  return found;
}

// An issue that was there long before was seen before this one was filed.
Or<std::optional<Issue>> IssueHomes::older_twin(const Issue& own, const Dispatch& dispatch, std::stop_token stop) {
  std::optional<Issue> found;
  const auto visit = [&](const Issue& issue) {
    const bool older = issue.number > 0 && issue.number < own.number;
    if (older && !is_duplicate(issue) && !is_left(issue, dispatch) && is_about_same_culprit(issue, dispatch.report))
      found = issue;
    const bool long_before = own.created && issue.created && *issue.created < *own.created - clock_difference;
    return !long_before;
  };
  const auto listing = api_.list_issues({.labels = {std::string(report_label)}}, visit, stop);
  if (!listing) return tl::unexpected(listing.error());
  return found;
}

// The answer to an earlier request was lost, and without push access GitHub drops the label. GitHub filters by the time
// of the last change, which is never before that at which the issue was made.
IssueHomes::Found IssueHomes::made_since(TimePoint earliest, const Dispatch& dispatch, std::stop_token stop) {
  const auto login = api_.who_am_i(stop);
  if (!login) return tl::unexpected(login.error());
  IssueFilter filter{.since = earliest};
  // Whether GitHub's filter knows an App by this name is not documented. What it leaves out would be filed twice.
  if (!settings_.app) filter.creator = *login;
  std::optional<IssueHome> found;
  const auto visit = [&](const Issue& issue) {
    if (issue.created && *issue.created < earliest) return false;
    if (has_it(issue, dispatch) && is_made_by(issue, *login) && !is_duplicate(issue)) found = IssueHome{issue, true};
    return !found;
  };
  const auto listing = api_.list_issues(filter, visit, stop);
  if (!listing) return tl::unexpected(listing.error());
  if (*listing == Listing::cut) return tl::unexpected(too_many(earliest));
  return found;
}

// One may have been missed, so nothing is filed.
Attempt IssueHomes::too_many(TimePoint earliest) const {
  Attempt attempt = Attempt::retry(
      {ErrorKind::failed,
       fmt::format("an earlier request may have filed this report in {} after {}, and there are too many issues since "
                   "then to look through: give the token push access, or set the label '{}' on the issue if it is "
                   "there",
                   settings_.repository, to_iso8601(earliest), report_label)},
      clock_.now() + wait_for_a_person);
  attempt.only_this = true;
  return attempt;
}

Attempt IssueHomes::deleted(const std::string& reference) const {
  Attempt attempt =
      Attempt::retry({ErrorKind::failed, fmt::format("{} {}: `tbci report ID --again` files the report once more",
                                                     model::deleted_there, one_line(reference, 200))},
                     clock_.now() + wait_for_a_person);
  attempt.only_this = true;
  return attempt;
}

std::string page_of(const Issue& issue, const GithubSettings& settings) {
  if (!issue.address.empty()) return issue.address;
  return fmt::format("{}/repos/{}/issues", settings.base_url, settings.repository);
}

}  // namespace tbci::github
