#include "pipeline/night/reporting.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "github/report.hpp"
#include "github/report_notes.hpp"
#include "pipeline/night/culprit_evidence.hpp"
#include "pipeline/night/culprit_groups.hpp"
#include "pipeline/night/endings.hpp"
#include "pipeline/night/report_facts.hpp"
#include "pipeline/night/report_owners.hpp"

namespace tbci::pipeline {

namespace {

// The report that the group belongs to: its own after a search that a person asked for, else one about the culprit.
Result<std::optional<model::Report>> known_report(SubjectContext& context, const ReportGroup& group,
                                                  const model::Report& draft) {
  for (const model::Regression& regression : group.regressions) {
    if (regression.report_id)
      return context.stores.reports.get(*regression.report_id).map([](model::Report one) {
        return std::optional(std::move(one));
      });
  }
  TBCI_ASSIGN(auto same, context.stores.reports.find(context.name(), draft.marker));
  if (same) return same;
  return report_about(context.stores, context.name(), group.suspects);
}

bool has_series(const std::vector<model::Regression>& regressions, const model::Series& series) {
  return std::ranges::any_of(regressions, [&](const auto& one) { return one.finding.series == series; });
}

Status note_relapses(SubjectContext& context, const std::vector<model::Regression>& before,
                     const std::vector<model::Regression>& tonight, const std::string& night) {
  for (const model::Regression& old : before) {
    if (!has_series(tonight, old.finding.series) || old.standing != model::Standing::recovered) continue;
    TBCI_TRY(context.stores.decisions.forget_recovery_looks(old.id));
    TBCI_TRY(context.stores.decisions.decide({.id = 0,
                                              .regression_id = old.id,
                                              .standing = model::Standing::relapsed,
                                              .person = "tbci",
                                              .reason = fmt::format("measured again by the night {}", night),
                                              .decided = context.clock.now()}));
  }
  return {};
}

// With what was reported of the same culprit before: one report names all that it hits. What recovered has a section of
// its own, and what a person dismissed was none.
ReportGroup joined(ReportGroup group, const model::Report& known, const std::vector<model::Regression>& before) {
  group.marker = known.marker;
  group.suspects = narrower(known.culprits, group.suspects);
  const std::vector<model::Regression> tonight = group.regressions;
  for (const model::Regression& old : before) {
    const bool gone = old.standing == model::Standing::recovered || old.standing == model::Standing::dismissed;
    if (!gone && !has_series(tonight, old.finding.series)) group.regressions.push_back(old);
  }
  return group;
}

double worst_change(const std::vector<model::Regression>& regressions) {
  double worst = 0;
  for (const model::Regression& one : regressions) {
    if (model::is_open(one.standing) && std::isfinite(one.finding.change)) worst = std::max(worst, one.finding.change);
  }
  return worst;
}

// Those of tonight that are worse than all before by more than the threshold.
std::vector<model::Finding> much_worse(SubjectContext& context, const std::vector<model::Regression>& before,
                                       const std::vector<model::Regression>& tonight) {
  const double worst = worst_change(before);
  std::vector<model::Finding> worse;
  for (const model::Regression& one : tonight) {
    const double enough = context.config.thresholds.for_series(one.finding.series).relative;
    if (std::isfinite(one.finding.change) && one.finding.change >= worst + enough) worse.push_back(one.finding);
  }
  return worse;
}

// What people should read of it even if they read the report already.
Result<std::vector<std::string>> notes_of(SubjectContext& context, const ReportContext& report_context,
                                          const ReportGroup& group, const model::Report& known,
                                          const model::Report& draft, const std::vector<model::Regression>& before) {
  std::vector<std::string> notes;
  if (draft.culprits.size() == 1 && known.culprits != draft.culprits) {
    TBCI_ASSIGN(const auto commit, context.stores.bisections.commit(context.name(), draft.culprits.front()));
    model::Commit unknown;
    unknown.id = draft.culprits.front();
    notes.push_back(github::culprit_note(commit.value_or(unknown)));
  }
  std::vector<model::Finding> back;
  for (const model::Regression& one : group.regressions) back.push_back(one.finding);
  if (!known.open) {
    notes.push_back(github::relapse_note(back, report_context.night));
  } else if (const auto worse = much_worse(context, before, group.regressions); !worse.empty()) {
    notes.push_back(github::worse_note(worse, report_context.night));
  }
  return notes;
}

// What is to be filed: a new report, or the next revision of a known one.
struct Filing {
  model::Report draft;
  std::vector<model::Regression> before;
  std::vector<std::string> notes;
};

Result<Filing> filing_of(SubjectContext& context, const ReportContext& report_context, const ReportGroup& group) {
  Filing filing;
  TBCI_ASSIGN(filing.draft, draft_report(context, report_context, group));
  TBCI_ASSIGN(const auto known, known_report(context, group, filing.draft));
  if (!known) return filing;
  TBCI_ASSIGN(filing.before, context.stores.nights.regressions_of_report(known->id));
  TBCI_ASSIGN(filing.draft, draft_report(context, report_context, joined(group, *known, filing.before)));
  TBCI_ASSIGN(filing.notes, notes_of(context, report_context, group, *known, filing.draft, filing.before));
  return filing;
}

// A person may have settled some while evidence was taken, which lasts minutes. Returns whether one was.
Result<bool> drop_settled(SubjectContext& context, ReportGroup& group) {
  std::vector<model::Regression> open;
  for (model::Regression& regression : group.regressions) {
    TBCI_ASSIGN(const auto now, context.stores.nights.regression(regression.id));
    if (model::is_open(now.standing)) open.push_back(std::move(regression));
  }
  const bool dropped = open.size() < group.regressions.size();
  group.regressions = std::move(open);
  return dropped;
}

// Nothing where persons have settled all of it, or where one settled a part just now: then it is to be written again.
Result<std::optional<model::Report>> file_once(SubjectContext& context, const ReportContext& report_context,
                                               ReportGroup& group) {
  TBCI_TRY(drop_settled(context, group));
  if (group.regressions.empty()) return std::optional<model::Report>{};
  TBCI_ASSIGN(Filing filing, filing_of(context, report_context, group));
  std::optional<model::Report> filed;
  const Status kept = context.stores.database.transaction([&]() -> Status {
    TBCI_ASSIGN(const bool settled, drop_settled(context, group));
    if (settled) return {};
    TBCI_TRY(note_relapses(context, filing.before, group.regressions, report_context.night));
    TBCI_ASSIGN(const auto draft, with_endings(context, std::move(filing.draft), filing.before));
    TBCI_ASSIGN(filed,
                context.stores.reports.file(draft, channels_of(context, draft), context.clock.now(), filing.notes));
    for (model::Regression& regression : group.regressions) {
      regression.report_id = filed->id;
      regression.state = model::RegressionState::reported;
      TBCI_TRY(context.stores.nights.update(regression));
    }
    return {};
  });
  if (!kept) return pass_on(kept.error());
  return filed;
}

Result<std::optional<model::Report>> file_group(SubjectContext& context, const ReportContext& report_context,
                                                ReportGroup& group) {
  std::optional<model::Report> filed;
  while (!filed && !group.regressions.empty()) {
    TBCI_ASSIGN(filed, file_once(context, report_context, group));
  }
  return filed;
}

}  // namespace

std::vector<std::string> channels_of(const SubjectContext& context, const model::Report& report) {
  const bool waits = report.culprits.empty() && !context.config.report.without_culprit;
  return waits ? std::vector<std::string>() : context.config.report.channels;
}

Result<model::Report> draft_report(SubjectContext& context, const ReportContext& report_context,
                                   const ReportGroup& group) {
  TBCI_ASSIGN(const auto facts, report_facts(context, report_context, group));
  return github::make_report(facts);
}

Result<std::vector<model::Report>> file_reports(SubjectContext& context, const ReportContext& report_context,
                                                std::vector<model::Regression> regressions) {
  std::erase_if(regressions, [](const model::Regression& regression) {
    return regression.state == model::RegressionState::reported || !model::is_open(regression.standing);
  });
  std::vector<model::Report> reports;
  if (regressions.empty()) return reports;
  auto groups = by_culprit(std::move(regressions));
  TBCI_TRY(assign_reports(context, groups));
  for (ReportGroup& group : groups) {
    TBCI_TRY(add_culprit_evidence(context, report_context.bisection, group));
  }
  context.progress.begin_stage("report", counted(groups.size(), "culprit"), static_cast<int>(groups.size()));
  for (ReportGroup& group : groups) {
    context.progress.step("file the report");
    TBCI_ASSIGN(auto report, file_group(context, report_context, group));
    if (!report) continue;
    context.progress.note(report->title);
    reports.push_back(std::move(*report));
  }
  context.progress.end_stage(fmt::format("{} filed", reports.size()));
  return reports;
}

}  // namespace tbci::pipeline
