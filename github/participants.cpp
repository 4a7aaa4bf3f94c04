#include "github/participants.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/log.hpp"
#include "base/text.hpp"
#include "github/issue_comments.hpp"
#include "github/issue_home.hpp"
#include "github/markdown.hpp"
#include "github/report.hpp"
#include "github/report_words.hpp"

namespace tbci::github {

namespace {

std::string pull_marker(const model::Report& report) {
  return report.marker + "-pull";
}

void give(IssueMark& mark, std::string digest) {
  if (!has_given(mark, digest)) mark.given.push_back(std::move(digest));
}

// Of these, those that were not given yet. All of them are, afterwards.
std::vector<std::string> take_new(std::string_view kind, const std::vector<std::string>& all, IssueMark& mark) {
  std::vector<std::string> fresh;
  for (const std::string& one : all) {
    const std::string digest = given_digest(kind, one);
    if (!has_given(mark, digest)) fresh.push_back(one);
    give(mark, digest);
  }
  return fresh;
}

std::string mention_line(const Participants::Wanted& wanted, const model::Report& report, IssueMark& mark) {
  if (wanted.mention.empty() || take_new("mention", {wanted.mention}, mark).empty()) return "";
  return fmt::format("\ncc @{}, who wrote commit {}\n", wanted.mention, report.culprits.front().substr(0, 10));
}

std::string retraction_text(std::string_view page) {
  return fmt::format("A later search found another culprit than this pull request: see {}.", page);
}

}  // namespace

std::string pull_comment_text(const model::Report& report, std::string_view page) {
  const std::string commit = report.culprits.empty() ? "" : inline_code(report.culprits.front().substr(0, 10));
  if (!report.open)
    return fmt::format("What tbci measured since commit {} of this pull request is over: see {}.", commit, page);
  return fmt::format(
      "Since commit {} of this pull request, tbci measures: {}. The evidence, and how to answer if this is wrong or "
      "wanted, is in {}.",
      commit, escaped(report.title, 300), page);
}

Or<Participants::Wanted> Participants::wanted(const model::Report& report, std::stop_token stop) {
  const ParticipantSettings& settings = settings_.participants;
  Wanted wanted{.labels = report.labels, .assignees = {}, .mention = {}, .pull = {}};
  if (report.open) wanted.assignees = settings.assignees;
  if (!settings.ask_for_pull_request()) return wanted;
  const auto pull = pulls_.of(report, stop);
  if (!pull) {
    if (auto later = unless_refused(pull.error())) return tl::unexpected(std::move(*later));
    return wanted;
  }
  wanted.pull = *pull;
  if (!report.open || !wanted.pull || wanted.pull->author.empty()) return wanted;
  const std::string& author = wanted.pull->author;
  if (settings.mention_author) wanted.mention = author;
  const bool is_there = std::ranges::any_of(wanted.assignees, [&](const auto& one) { return same_login(one, author); });
  if (settings.assign_author && !is_there) wanted.assignees.push_back(author);
  return wanted;
}

std::string Participants::with_issue(const Wanted& wanted, const model::Report& report, IssueMark& mark) {
  take_new("label", report.labels, mark);
  return mention_line(wanted, report, mark);
}

std::optional<Attempt> Participants::bring_in(const Issue& issue, const std::string& page, const Dispatch& dispatch,
                                              IssueMark& mark, std::string& below, std::stop_token stop) {
  const auto all = wanted(dispatch.report, stop);
  if (!all) return all.error();
  // An older version of tbci kept no digests: what its issue lacks now, a person took away.
  if (mark.given.empty()) take_new("label", all->labels, mark);
  std::vector<std::string> labels = take_new("label", all->labels, mark);
  std::erase_if(labels,
                [&](const std::string& one) { return std::ranges::find(issue.labels, one) != issue.labels.end(); });
  if (!labels.empty()) {
    const auto added = api_.add_labels(issue.number, labels, {dispatch.before_write, stop});
    if (!added) {
      if (auto later = unless_refused(added.error())) return later;
    }
  }
  const auto assignees = take_new("assignee", all->assignees, mark);
  if (!assignees.empty()) {
    const auto assigned = api_.add_assignees(issue.number, assignees, {dispatch.before_write, stop});
    if (!assigned) {
      if (auto later = unless_refused(assigned.error())) return later;
    }
  }
  below += mention_line(*all, dispatch.report, mark);
  return settings_.participants.comment_on_pull_request ? keep_pull_comment(all->pull, page, dispatch, mark, stop)
                                                        : std::nullopt;
}

std::optional<Attempt> Participants::keep_pull_comment(const std::optional<CulpritPull>& pull, const std::string& page,
                                                       const Dispatch& dispatch, IssueMark& mark,
                                                       std::stop_token stop) {
  const std::string now = pull ? to_string(pull->address) : "";
  const auto earlier = pull_from(mark.pull);
  // Blamed wrongly: it is not enough that the issue says so.
  const bool is_blamed_no_more = earlier && mark.pull != now && !dispatch.report.culprits.empty();
  if (is_blamed_no_more) {
    if (auto failed = write_on(*earlier, retraction_text(page), true, dispatch, stop)) return failed;
    mark.pull.clear();
  }
  if (!pull) return std::nullopt;
  // One that is over begins nothing, but an earlier attempt may have written the comment and not the mark.
  const bool begins = mark.pull != now && dispatch.report.open;
  if (auto failed = write_on(pull->address, pull_comment_text(dispatch.report, page), !begins, dispatch, stop))
    return failed;
  if (begins) mark.pull = now;
  return std::nullopt;
}

std::optional<Attempt> Participants::write_on(const PullAddress& pull, const std::string& text, bool only_change,
                                              const Dispatch& dispatch, std::stop_token stop) {
  Api& api = pulls_.api_of(pull.repository);
  const std::string marker = pull_marker(dispatch.report);
  const auto comments = comments_on(api, pull.number, stop);
  if (!comments) return unless_refused(comments.error());
  if (only_change) {
    const auto there = own_comment(api, *comments, marker, stop);
    if (!there) return unless_refused(there.error());
    if (*there == nullptr) return std::nullopt;  // somebody deleted it, or it was never allowed
  }
  const KeptComment kept{pull.number, marker, text + "\n\n" + marker_comment(marker) + "\n"};
  const auto written = keep_comment(api, *comments, kept, {dispatch.before_write, stop});
  return written ? std::nullopt : unless_refused(written.error());
}

std::optional<Attempt> Participants::unless_refused(const Attempt& attempt) const {
  // What concerns all requests, such as a token that is over, is put right by a person, and then this goes on.
  if (attempt.error.kind != ErrorKind::failed || attempt.not_before) return attempt;
  log::warning("{}", api_.hidden(attempt.error.message));
  return std::nullopt;
}

std::string participants_preview(const model::Report& report, const GithubSettings& settings) {
  const ParticipantSettings& wanted = settings.participants;
  const auto address = pull_address(report.pull_request, settings.base_url);
  const bool is_known = address && report.culprits.size() == 1;
  const std::string author = "the author of " + plain_line(report.pull_request);
  std::vector<std::string> assigned = wanted.assignees;
  if (wanted.assign_author && is_known) assigned.push_back(author);
  std::string text = fmt::format("on GitHub, in {}:\n  labels: {}\n", settings.repository, join(report.labels, ", "));
  if (!assigned.empty()) text += fmt::format("  assigned: {}\n", join(assigned, ", "));
  if (wanted.mention_author && is_known) text += fmt::format("  mentioned: {}\n", author);
  if (wanted.comment_on_pull_request && is_known) {
    text += fmt::format("  comment on {}, if GitHub says that the culprit is of it:\n    {}\n",
                        plain_line(report.pull_request), pull_comment_text(report, "ISSUE"));
  }
  if (wanted.ask_for_pull_request() && !is_known)
    text += "  its author is not brought in: there is not one culprit that names a pull request\n";
  if (!report.rest.empty())
    text += fmt::format("  a comment with the rest of the text, {} bytes\n", report.rest.size());
  return text;
}

}  // namespace tbci::github
