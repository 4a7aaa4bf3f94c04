#include "github/github_channel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/address.hpp"
#include "base/log.hpp"
#include "github/api.hpp"
#include "github/issue_home.hpp"
#include "github/issue_mark.hpp"
#include "github/issue_upkeep.hpp"
#include "github/issue_wishes.hpp"
#include "github/markdown.hpp"
#include "github/names.hpp"
#include "github/participants.hpp"
#include "github/report.hpp"

namespace tbci::github {

namespace {

class GithubChannel final : public Channel {
 public:
  GithubChannel(const GithubSettings& settings, HttpClient& http, const Clock& clock)
      : settings_(settings),
        api_(settings, http, clock),
        homes_(settings_, api_, clock),
        participants_(settings_, api_, http, clock),
        upkeep_(settings_, api_, participants_) {}

  std::string name() const override { return "github"; }

  Attempt deliver(const Dispatch& dispatch, std::stop_token stop) override {
    Attempt attempt = deliver_once(dispatch, stop);
    attempt.error.message = api_.hidden(attempt.error.message);
    attempt.reference = api_.hidden(attempt.reference);
    return attempt;
  }

  Or<std::vector<Heard>> listen(std::span<const ReportPlace> places, TimePoint since, std::stop_token stop) override {
    std::map<std::int64_t, Issue> changed;
    const auto visit = [&](const Issue& issue) {
      changed.emplace(issue.number, issue);
      return true;
    };
    const auto listing =
        api_.list_issues({.labels = {std::string(report_label)}, .since = since - clock_difference}, visit, stop);
    if (!listing) return tl::unexpected(listing.error());
    std::vector<Heard> all;
    for (const ReportPlace& place : places) {
      const auto number = issue_number_in(place.reference);
      const auto issue = number ? changed.find(*number) : changed.end();
      const bool is_there = issue != changed.end() && is_at(issue->second, place);
      auto heard = is_there ? hear(issue->second, place, stop) : Or<Heard>(Heard{});
      if (!heard) return tl::unexpected(heard.error());
      all.push_back(std::move(*heard));
    }
    return all;
  }

 private:
  // The configuration may name another repository by now, which has an issue of the same number.
  bool is_at(const Issue& issue, const ReportPlace& place) const {
    const std::string page = place.reference.substr(0, place.reference.find('#'));
    return page == page_of(issue, settings_) || has_marker(issue.body, place.marker);
  }

  Or<Heard> hear(const Issue& issue, const ReportPlace& place, std::stop_token stop) {
    Heard heard{.read = true, .said = said_by_issue(issue)};
    auto comments = said_in_comments(api_, issue.number, place.is_known, stop);
    if (!comments) return tl::unexpected(comments.error());
    std::ranges::move(*comments, std::back_inserter(heard.said));
    return heard;
  }

  Attempt deliver_once(const Dispatch& dispatch, std::stop_token stop) {
    const auto found = homes_.find(dispatch, stop);
    if (!found) return found.error();
    if (!found->home) return file_issue(*found, dispatch, stop);
    const Issue& issue = found->home->issue;
    if (found->home->own) check_labels(issue);
    // A request whose answer was lost may just have filed it.
    if (found->home->own && dispatch.attempted) return settle_twins(issue, dispatch, stop);
    return upkeep_.bring_up_to_date(*found->home, dispatch, stop);
  }

  Attempt file_issue(const IssueSearch& search, const Dispatch& dispatch, std::stop_token stop) {
    const model::Report& report = dispatch.report;
    const std::string follows = search.locked ? fmt::format("Follows #{}, which is locked.\n", *search.locked) : "";
    IssueMark mark = mark_of(report, true);
    // What cannot be asked for now is added later: the report itself does not wait for it.
    const auto wanted = participants_.wanted(report, stop);
    const std::string below = Participants::with_issue(wanted.value_or(Participants::Wanted{}), report, mark);
    const auto issue = api_.create_issue({report.title, marked_text(report, mark, follows + below), report.labels},
                                         {dispatch.before_write, stop});
    if (!issue) return issue.error();
    check_labels(*issue);
    if (issue->number <= 0) return Attempt::delivered(page_of(*issue, settings_));
    return settle_twins(*issue, dispatch, stop);
  }

  // Two runners may find the same culprit at the same time: the older issue stays.
  Attempt settle_twins(const Issue& own, const Dispatch& dispatch, std::stop_token stop) {
    if (!dispatch.report.culprits.empty()) {
      const auto older = homes_.older_twin(own, dispatch, stop);
      if (!older) return older.error();
      if (*older) return upkeep_.move_to(**older, own, dispatch, stop);
    }
    return upkeep_.bring_up_to_date({own, true}, dispatch, stop);
  }

  void check_labels(const Issue& issue) {
    const bool there = std::find(issue.labels.begin(), issue.labels.end(), report_label) != issue.labels.end();
    if (there || std::exchange(told_of_labels_, true)) return;
    log::warning(
        "{}: GitHub dropped the label '{}', which tbci needs to find earlier issues: give the token push access",
        page_of(issue, settings_), report_label);
  }

  GithubSettings settings_;
  Api api_;
  IssueHomes homes_;
  Participants participants_;
  IssueUpkeep upkeep_;
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
