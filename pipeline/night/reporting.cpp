#include "pipeline/night/reporting.hpp"

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "github/report.hpp"
#include "pipeline/measure/profiling.hpp"
#include "pipeline/night/endings.hpp"
#include "pipeline/night/report_facts.hpp"

namespace tbci::pipeline {

namespace {

// One group for each set of suspects; those without any are one group.
std::vector<ReportGroup> by_culprit(std::vector<model::Regression> regressions) {
  std::map<std::vector<std::string>, ReportGroup> groups;
  for (model::Regression& regression : regressions)
    groups[regression.suspects].regressions.push_back(std::move(regression));
  std::vector<ReportGroup> ordered;
  for (auto& [suspects, group] : groups) ordered.push_back(std::move(group));
  return ordered;
}

// What was reported of the same culprit before. A series that had recovered since then, and is hit again, relapsed.
Result<std::vector<model::Regression>> reported_before(SubjectContext& context, const model::Report& draft) {
  TBCI_ASSIGN(const auto known, context.stores.reports.find(context.name(), draft.marker));
  if (!known) return std::vector<model::Regression>{};
  return context.stores.nights.regressions_of_report(known->id);
}

Status note_relapses(SubjectContext& context, const std::vector<model::Regression>& before,
                     const std::vector<model::Regression>& tonight, const std::string& night) {
  for (const model::Regression& old : before) {
    const bool again = std::any_of(tonight.begin(), tonight.end(),
                                   [&](const auto& one) { return one.finding.series == old.finding.series; });
    if (!again || old.standing != model::Standing::recovered) continue;
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

// The draft, and with what was reported of the same culprit before: one report names all that it hits.
Result<model::Report> whole_draft(SubjectContext& context, const ReportContext& report_context,
                                  const ReportGroup& group, const std::vector<model::Regression>& before) {
  ReportGroup whole = group;
  for (const model::Regression& old : before) {
    const bool again = std::any_of(group.regressions.begin(), group.regressions.end(),
                                   [&](const auto& one) { return one.finding.series == old.finding.series; });
    if (!again) whole.regressions.push_back(old);
  }
  return draft_report(context, report_context, whole);
}

Result<model::Report> file_group(SubjectContext& context, const ReportContext& report_context, ReportGroup& group) {
  TBCI_ASSIGN(model::Report draft, draft_report(context, report_context, group));
  TBCI_ASSIGN(const auto before, reported_before(context, draft));
  if (!before.empty()) {
    TBCI_ASSIGN(draft, whole_draft(context, report_context, group, before));
  }
  model::Report filed;
  const Status kept = context.stores.database.transaction([&]() -> Status {
    TBCI_TRY(note_relapses(context, before, group.regressions, report_context.night));
    TBCI_ASSIGN(draft, with_endings(context, std::move(draft), before));
    TBCI_ASSIGN(filed, context.stores.reports.file(draft, context.config.report.channels, context.clock.now()));
    for (model::Regression& regression : group.regressions) {
      regression.report_id = filed.id;
      regression.state = model::RegressionState::reported;
      TBCI_TRY(context.stores.nights.update(regression));
    }
    return {};
  });
  if (!kept) return pass_on(kept.error());
  return filed;
}

}  // namespace

Result<model::Report> draft_report(SubjectContext& context, const ReportContext& report_context,
                                   const ReportGroup& group) {
  TBCI_ASSIGN(const auto facts, report_facts(context, report_context, group));
  return github::make_report(facts);
}

Result<std::vector<model::Report>> file_reports(SubjectContext& context, const ReportContext& report_context,
                                                std::vector<model::Regression> regressions) {
  std::erase_if(regressions, [](const model::Regression& regression) {
    return regression.report_id.has_value() || !model::is_open(regression.standing);
  });
  std::vector<model::Report> reports;
  if (regressions.empty()) return reports;
  auto groups = by_culprit(std::move(regressions));
  for (ReportGroup& group : groups) {
    TBCI_ASSIGN(group.operators, operators_at_culprit(context, report_context.bisection, group.regressions));
  }
  context.progress.begin_stage("report", counted(groups.size(), "culprit"), static_cast<int>(groups.size()));
  for (ReportGroup& group : groups) {
    context.progress.step("file the report");
    TBCI_ASSIGN(model::Report report, file_group(context, report_context, group));
    context.progress.note(report.title);
    reports.push_back(std::move(report));
  }
  context.progress.end_stage(fmt::format("{} filed", reports.size()));
  return reports;
}

}  // namespace tbci::pipeline
