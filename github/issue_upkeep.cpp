#include "github/issue_upkeep.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "github/issue_comments.hpp"
#include "github/markdown.hpp"
#include "github/report.hpp"

namespace tbci::github {

namespace {

std::string note_marker(const model::Report& report, const model::ReportNote& note) {
  return fmt::format("{}-n{}", report.marker, note.id);
}

std::string rest_marker(const model::Report& report) {
  return report.marker + "-rest";
}

std::string note_text(const model::Report& report, const model::ReportNote& note) {
  const std::string end = "\n\n" + marker_comment(note_marker(report, note)) + "\n";
  return std::string(cut(note.text, longest_comment_bytes - end.size())) + end;
}

bool has_due_notes(const Dispatch& dispatch) {
  return std::ranges::any_of(dispatch.notes, [&](const auto& note) { return is_due(note, dispatch); });
}

// Whether all other reports in the issue are over: of other runners, or of other subjects.
bool others_are_over(const std::vector<Comment>& comments, std::string_view marker) {
  return std::ranges::all_of(comments, [&](const Comment& comment) {
    const auto mark = has_marker(comment.body, marker) ? std::nullopt : mark_in(comment.body);
    return !mark || !mark->report_open;
  });
}

struct StateChange {
  bool changes = false;
  bool mark_open = true;  // what the issue's mark says afterwards
};

// `wanted`: whether the issue is to be open. What a person did since tbci left it stays, and so does the mark that
// shows it.
StateChange state_change(const Issue& issue, const std::optional<IssueMark>& mark, bool wanted) {
  const bool open = issue.state == IssueState::open;
  if (wanted == open) return {false, open};
  if (mark && mark->issue_open != open) return {false, mark->issue_open};
  // An older version of tbci left no mark: what is closed, a person closed.
  if (!mark && wanted) return {false, false};
  return {true, wanted};
}

void set_state(IssueChange& change, bool open, bool is_new) {
  change.state = open ? IssueState::open : IssueState::closed;
  if (is_new) change.reason = open ? StateReason::reopened : StateReason::completed;
}

}  // namespace

Attempt IssueUpkeep::bring_up_to_date(const IssueHome& home, const Dispatch& dispatch, std::stop_token stop) {
  return home.own ? keep_own(home.issue, dispatch, stop) : keep_as_guest(home.issue, dispatch, stop);
}

Attempt IssueUpkeep::keep_own(const Issue& issue, const Dispatch& dispatch, std::stop_token stop) {
  if (issue.number <= 0) return no_json("reading " + page_of(issue, settings_));
  const model::Report& report = dispatch.report;
  const auto mark = mark_in(issue.body);
  const std::string rest = given_digest("rest", "");
  if (has_due_notes(dispatch) || !report.rest.empty() || (mark && has_given(*mark, rest))) {
    const auto comments = comments_on(api_, issue.number, stop);
    if (!comments) return comments.error();
    if (auto failed = keep_rest(issue, *comments, dispatch, stop)) return *failed;
    if (auto failed = add_notes(issue, *comments, dispatch, stop)) return *failed;
  }
  const bool open = issue.state == IssueState::open;
  StateChange state = state_change(issue, mark, report.open);
  if (!report.open && state.changes) state = {false, open};  // others may be open: settle_state() sees
  IssueMark left = mark_of(report, state.mark_open);
  const bool is_tbcis_title = mark && mark->title == title_digest(issue.title);
  if (!is_tbcis_title) left.title = mark ? mark->title : "";
  if (mark) left.given = mark->given, left.pull = mark->pull;
  if (!report.rest.empty() && !has_given(left, rest)) left.given.push_back(rest);
  std::string below(below_marker(issue.body, report.marker));
  if (auto failed = participants_.bring_in(issue, page_of(issue, settings_), dispatch, left, below, stop))
    return *failed;
  const std::string text = marked_text(report, left, below);
  IssueChange wanted;
  if (is_tbcis_title && issue.title != report.title) wanted.title = report.title;
  if (as_compared(issue.body) != as_compared(text)) wanted.body = text;
  // With the mark always the state that it tells of: another runner may change it at this moment.
  if (state.changes || (wanted.body && state.mark_open == open)) set_state(wanted, state.mark_open, state.changes);
  if (auto failed = change(issue, wanted, dispatch, stop)) return *failed;
  if (!report.open) {
    if (auto failed = settle_state(issue, dispatch, stop)) return *failed;
  }
  return Attempt::delivered(page_of(issue, settings_));
}

Attempt IssueUpkeep::keep_as_guest(const Issue& issue, const Dispatch& dispatch, std::stop_token stop) {
  const auto comments = comments_on(api_, issue.number, stop);
  if (!comments) return comments.error();
  const auto mine = write_comment(issue, *comments, dispatch, stop);
  if (!mine) return mine.error();
  if (auto failed = keep_rest(issue, *comments, dispatch, stop)) return *failed;
  if (auto failed = add_notes(issue, *comments, dispatch, stop)) return *failed;
  if (auto failed = settle_state(issue, dispatch, stop)) return *failed;
  return Attempt::delivered(fmt::format("{}#issuecomment-{}", page_of(issue, settings_), mine->id));
}

// Each reads after it wrote what it has to say: of two that end or begin at the same time, one sees both.
std::optional<Attempt> IssueUpkeep::settle_state(const Issue& issue, const Dispatch& dispatch, std::stop_token stop) {
  const auto now = api_.get_issue(issue.number, stop);
  if (!now) return now.error();
  const auto comments = comments_on(api_, issue.number, stop);
  if (!comments) return comments.error();
  const auto mark = *now ? mark_in((*now)->body) : std::nullopt;
  if (!mark) return std::nullopt;  // deleted meanwhile, or a person took the mark away
  const bool all_over =
      !dispatch.report.open && !mark->report_open && others_are_over(*comments, dispatch.report.marker);
  const StateChange state = state_change(**now, mark, !all_over);
  if (!state.changes) return std::nullopt;
  IssueMark left = *mark;
  left.issue_open = state.mark_open;
  IssueChange wanted;
  wanted.body = with_mark((*now)->body, left);
  set_state(wanted, state.mark_open, true);
  return change(issue, wanted, dispatch, stop);
}

Attempt IssueUpkeep::move_to(const Issue& older, const Issue& own, const Dispatch& dispatch, std::stop_token stop) {
  Attempt moved = keep_as_guest(older, dispatch, stop);
  if (moved.outcome != Attempt::Outcome::delivered) return moved;
  IssueChange close;
  const std::string note = fmt::format("The same culprit is in #{}, which was there first.\n", older.number);
  IssueMark left = mark_of(dispatch.report, false);
  close.body = marked_text(dispatch.report, left, note);
  close.state = IssueState::closed;
  close.reason = StateReason::duplicate;
  if (auto failed = change(own, close, dispatch, stop)) return *failed;
  return moved;
}

Or<Comment> IssueUpkeep::write_comment(const Issue& issue, const Comments& comments, const Dispatch& dispatch,
                                       std::stop_token stop) {
  const model::Report& report = dispatch.report;
  const std::string text = fmt::format("The same culprit, measured by another tbci or of another subject: {}\n\n{}",
                                       escaped(report.title, 300), marked_text(report, mark_of(report, true)));
  return keep_comment(api_, comments, {issue.number, report.marker, text}, {dispatch.before_write, stop});
}

std::optional<Attempt> IssueUpkeep::keep_rest(const Issue& issue, const Comments& comments, const Dispatch& dispatch,
                                              std::stop_token stop) {
  const model::Report& report = dispatch.report;
  const std::string marker = rest_marker(report);
  const auto there = own_comment(api_, comments, marker, stop);
  if (!there) return there.error();
  if (report.rest.empty() && *there == nullptr) return std::nullopt;
  if (issue.locked && *there == nullptr) return std::nullopt;
  const std::string rest = report.rest.empty() ? "The issue's text has room for all of the report now.\n" : report.rest;
  const KeptComment kept{issue.number, marker, rest + "\n" + marker_comment(marker) + "\n"};
  const auto written = keep_comment(api_, comments, kept, {dispatch.before_write, stop});
  return written ? std::nullopt : std::optional(written.error());
}

std::optional<Attempt> IssueUpkeep::add_notes(const Issue& issue, const Comments& comments, const Dispatch& dispatch,
                                              std::stop_token stop) {
  if (issue.locked) return std::nullopt;  // the persons who locked it want no more comments; its text says the same
  for (const model::ReportNote& note : dispatch.notes) {
    if (!is_due(note, dispatch)) continue;
    const auto there = own_comment(api_, comments, note_marker(dispatch.report, note), stop);
    if (!there) return there.error();
    if (*there != nullptr) continue;
    const auto made =
        api_.create_comment(issue.number, note_text(dispatch.report, note), {dispatch.before_write, stop});
    if (!made) return made.error();
  }
  return std::nullopt;
}

std::optional<Attempt> IssueUpkeep::change(const Issue& issue, const IssueChange& wanted, const Dispatch& dispatch,
                                           std::stop_token stop) {
  if (!wanted.title && !wanted.body && !wanted.state) return std::nullopt;
  const auto changed = api_.update_issue(issue.number, wanted, {dispatch.before_write, stop});
  if (!changed) return changed.error();
  return std::nullopt;
}

}  // namespace tbci::github
