#include "pipeline/night/endings.hpp"

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "base/version_order.hpp"
#include "github/recovery_section.hpp"
#include "github/report_notes.hpp"
#include "github/status_section.hpp"
#include "pipeline/night/report_life.hpp"
#include "pipeline/night/reporting.hpp"
#include "pipeline/night/search_ends.hpp"

namespace tbci::pipeline {

namespace {

bool still_has_it(model::Verdict verdict) {
  return verdict == model::Verdict::suspect || verdict == model::Verdict::regression;
}

// The first improvement of the series that was confirmed after the last night with the regression, against a build from
// before the first night without it.
Result<std::optional<model::Improvement>> improvement_between(SubjectContext& context, const model::Ending& ending,
                                                              const model::Series& series) {
  TBCI_ASSIGN(const std::string since, context.stores.nights.name_of(ending.since_id));
  TBCI_ASSIGN(const std::string gone, context.stores.nights.name_of(ending.night_id));
  TBCI_ASSIGN(auto all, context.stores.improvements.of_series(context.name(), series));
  for (model::Improvement& improvement : all) {
    TBCI_ASSIGN(const std::string night, context.stores.nights.name_of(improvement.night_id));
    if (is_older(since, night) && is_older(improvement.old_build, gone)) return std::optional(std::move(improvement));
  }
  return std::optional<model::Improvement>{};
}

Result<std::string> commit_of_night(SubjectContext& context, std::int64_t id) {
  TBCI_ASSIGN(const std::string name, context.stores.nights.name_of(id));
  TBCI_ASSIGN(const auto build, context.stores.builds.find(context.name(), model::BuildKind::nightly, name));
  return build ? build->product.commit : std::string();
}

bool takes_back(const bisect::CommitDetails& details, const std::vector<std::string>& suspects) {
  return std::ranges::any_of(details.reverts, [&](const std::string& id) {
    return std::ranges::any_of(suspects, [&](const std::string& suspect) { return suspect.starts_with(id); });
  });
}

// Whether the history cannot say it, however often it is asked.
bool is_no_answer(const Error& error) {
  return error.kind == ErrorKind::usage || error.kind == ErrorKind::failed;
}

// The last commit of the days between that says that it reverts a suspect; empty: none does.
Result<std::string> revert_between(SubjectContext& context, const model::Ending& ending,
                                   const std::vector<std::string>& suspects) {
  if (suspects.empty() || context.subject.source.repository.empty()) return std::string();
  TBCI_ASSIGN(const std::string from, commit_of_night(context, ending.since_id));
  TBCI_ASSIGN(const std::string to, commit_of_night(context, ending.night_id));
  if (from.empty() || to.empty() || from == to) return std::string();
  TBCI_TRY(commits_are_there(context, from, to));
  const auto commits = context.machine.commits_between(from, to, context.stop);
  if (!commits && !is_no_answer(commits.error())) return pass_on(commits.error());
  if (!commits) return std::string();
  const auto details = context.machine.details(*commits, context.stop);
  if (!details && !is_no_answer(details.error())) return pass_on(details.error());
  if (!details || details->size() != commits->size()) return std::string();
  for (std::size_t i = commits->size(); i-- > 1;) {  // the first is the good end
    if (!takes_back((*details)[i], suspects)) continue;
    TBCI_TRY(context.stores.bisections.put_commits(context.name(), {(*commits)[i]}));
    return (*commits)[i].id;
  }
  return std::string();
}

Status find_what_ended(SubjectContext& context, const model::Regression& regression, Commits commits,
                       model::Ending& ending) {
  TBCI_ASSIGN(const auto improvement, improvement_between(context, ending, regression.finding.series));
  if (improvement) ending.improvement_id = improvement->id;
  if (commits == Commits::are_left_out) return {};
  TBCI_ASSIGN(ending.revert_commit, revert_between(context, ending, regression.suspects));
  return {};
}

Result<model::Commit> known_commit(SubjectContext& context, const std::string& id) {
  TBCI_ASSIGN(auto commit, context.stores.bisections.commit(context.name(), id));
  if (commit) return std::move(*commit);
  model::Commit unknown;
  unknown.id = id;
  return unknown;
}

Result<github::Recovery> recovery_of(SubjectContext& context, const model::Regression& regression,
                                     const model::Ending& ending) {
  github::Recovery recovery{.series = regression.finding.series, .night = {}, .commits = {}, .revert = {}};
  TBCI_ASSIGN(recovery.night, context.stores.nights.name_of(ending.night_id));
  if (ending.improvement_id) {
    TBCI_ASSIGN(const auto improvement, context.stores.improvements.get(*ending.improvement_id));
    for (const std::string& id : improvement.suspects) {
      TBCI_ASSIGN(auto commit, known_commit(context, id));
      recovery.commits.push_back(std::move(commit));
    }
  }
  if (!ending.revert_commit.empty()) {
    TBCI_ASSIGN(recovery.revert, known_commit(context, ending.revert_commit));
  }
  return recovery;
}

Result<std::vector<github::Recovery>> recoveries_of(SubjectContext& context,
                                                    const std::vector<model::Regression>& regressions) {
  std::vector<github::Recovery> recoveries;
  for (const model::Regression& one : regressions) {
    TBCI_ASSIGN(const auto regression, context.stores.nights.regression(one.id));
    if (regression.standing != model::Standing::recovered) continue;
    TBCI_ASSIGN(const auto ending, context.stores.improvements.ending_of(regression.id));
    if (!ending) continue;
    TBCI_ASSIGN(auto recovery, recovery_of(context, regression, *ending));
    recoveries.push_back(std::move(recovery));
  }
  return recoveries;
}

// The report says what ended, and is over where nothing is left.
Status revise(SubjectContext& context, std::int64_t report_id) {
  TBCI_ASSIGN(const model::Report report, context.stores.reports.get(report_id));
  TBCI_ASSIGN(const auto regressions, context.stores.nights.regressions_of_report(report_id));
  TBCI_ASSIGN(auto revised, with_endings(context, report, regressions));
  revised.open = is_any_open(regressions);
  std::vector<std::string> notes;
  if (!revised.open) revised.body = github::split_status(revised.body).rest;
  if (report.open && !revised.open) {
    TBCI_ASSIGN(const auto recoveries, recoveries_of(context, regressions));
    TBCI_ASSIGN(const auto decisions, decisions_of(context.stores, regressions));
    notes.push_back(github::ending_note(recoveries, decisions));
  }
  return context.stores.reports.file(revised, channels_of(context, revised), context.clock.now(), notes)
      .map([](const model::Report&) {});
}

// What is known of the ends, and the report that says so, together.
Status keep_told(SubjectContext& context, std::optional<std::int64_t> report_id,
                 const std::vector<model::Ending>& endings) {
  return context.stores.database.transaction([&]() -> Status {
    for (const model::Ending& ending : endings) TBCI_TRY(context.stores.improvements.put_ending(ending));
    return report_id ? revise(context, *report_id) : Status{};
  });
}

}  // namespace

Status note_ending(SubjectContext& context, const model::Regression& largest, const model::Regression& step) {
  TBCI_ASSIGN(const auto looks, context.stores.decisions.recovery_looks(largest.id));
  model::Ending ending{.regression_id = step.id, .night_id = largest.night_id, .since_id = largest.night_id};
  auto look = looks.begin();
  for (; look != looks.end() && look->verdict == model::Verdict::clear; ++look) ending.night_id = look->night_id;
  const auto last = std::find_if(look, looks.end(), [](const auto& one) { return still_has_it(one.verdict); });
  if (last != looks.end()) ending.since_id = last->night_id;
  return context.stores.improvements.put_ending(ending);
}

Status tell_endings(SubjectContext& context, Commits commits) {
  TBCI_ASSIGN(const auto endings_now, context.stores.improvements.untold_endings(context.name()));
  std::map<std::optional<std::int64_t>, std::vector<model::Ending>> by_report;
  for (model::Ending ending : endings_now) {
    TBCI_ASSIGN(const auto regression, context.stores.nights.regression(ending.regression_id));
    const bool holds = regression.standing == model::Standing::recovered;
    if (holds) TBCI_TRY(find_what_ended(context, regression, commits, ending));
    ending.told = true;
    by_report[holds ? regression.report_id : std::nullopt].push_back(std::move(ending));
  }
  for (const auto& [report_id, endings] : by_report) TBCI_TRY(keep_told(context, report_id, endings));
  return {};
}

Status tell_endings_by(SubjectContext& context, const std::vector<model::Improvement>& improvements) {
  for (const model::Improvement& improvement : improvements) {
    TBCI_ASSIGN(const auto endings, context.stores.improvements.endings_by(improvement.id));
    for (const model::Ending& ending : endings) {
      TBCI_ASSIGN(const auto regression, context.stores.nights.regression(ending.regression_id));
      if (regression.report_id && ending.told) TBCI_TRY(keep_told(context, regression.report_id, {}));
    }
  }
  return {};
}

Result<model::Report> with_endings(SubjectContext& context, model::Report draft,
                                   const std::vector<model::Regression>& regressions) {
  TBCI_ASSIGN(const auto recoveries, recoveries_of(context, regressions));
  const github::SplitBody body = github::split_status(draft.body);
  draft.body = body.rest;
  draft = github::with_recoveries(std::move(draft), recoveries);
  draft.body = body.status + draft.body;
  return draft;
}

}  // namespace tbci::pipeline
