// From culprits to filed reports: one a culprit, each filed once, delivered until it has arrived.
#pragma once

#include <optional>
#include <vector>

#include "github/hints_section.hpp"
#include "pipeline/subject_context.hpp"
#include "storage/model/bisection.hpp"
#include "storage/model/night.hpp"
#include "storage/model/profile.hpp"
#include "storage/model/report.hpp"
#include "storage/model/step_split.hpp"

namespace tbci::pipeline {

/// What reports of a night (or of a search by hand) have in common.
struct ReportContext {
  std::string night, baseline;  ///< names of the nightlies, or of the compared builds
  /// Where the search ended at an older nightly, which has the change already; empty: at `night`.
  std::string bad_nightly = {};
  const model::Bisection* bisection = nullptr;
  std::string environment;  ///< fingerprint
};

/// Regressions that share their culprit, at least one.
struct ReportGroup {
  std::vector<std::string> suspects = {};  ///< the smallest set of them
  std::vector<model::Regression> regressions;
  std::string marker = {};  ///< of the report that they join; empty: they have one of their own
  std::optional<model::OperatorComparison> operators;  ///< the culprit compared with its parent
  std::optional<model::StepSplit> step = {};           ///< from the parent to the culprit, on a CPU
  std::optional<github::AddedHints> hints = {};        ///< that the culprit added, if it added any
};

/// The report of a group. Writes nothing.
Result<model::Report> draft_report(SubjectContext& context, const ReportContext& report_context,
                                   const ReportGroup& group);

/// Where a report goes: one without a culprit may have to wait for it (`[report] without_culprit`).
std::vector<std::string> channels_of(const SubjectContext& context, const model::Report& report);

/// Files one report for each culprit among the regressions: the report, its outbox rows and the regressions' new state
/// in one transaction. What is of the same culprit as an earlier report joins it, also where the one knows it better
/// than the other. Before it, a culprit that slowed something is profiled and recorded beside its parent.
/// What persons settle meanwhile is not filed.
Result<std::vector<model::Report>> file_reports(SubjectContext& context, const ReportContext& report_context,
                                                std::vector<model::Regression> regressions);

}  // namespace tbci::pipeline
