#include "pipeline/night/report_standing.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "base/version_order.hpp"
#include "github/status_section.hpp"
#include "pipeline/night/other_runners.hpp"
#include "pipeline/night/reporting.hpp"

namespace tbci::pipeline {

namespace {

Result<github::SeriesStatus> status_of(SubjectContext& context, const model::Regression& regression,
                                       const model::Night& night, const std::vector<model::Finding>& screened) {
  github::SeriesStatus status{
      .series = regression.finding.series, .before = regression.finding.before, .now = {}, .look = {}};
  const auto tonight = std::ranges::find(screened, status.series, &model::Finding::series);
  if (tonight != screened.end() && std::isfinite(tonight->after)) status.now = tonight->after;
  TBCI_ASSIGN(const auto looks, context.stores.decisions.recovery_looks(regression.id));
  for (const model::RecoveryLook& look : looks) {
    const bool measured = look.verdict != model::Verdict::suspect;  // else the screen alone looked
    if (look.night_id == night.id && measured) status.look = look.verdict;
  }
  return status;
}

// Nothing where the report is of this night, or of a later one.
Result<std::optional<github::ReportStatus>> status_of(SubjectContext& context, const model::Report& report,
                                                      const model::Night& night,
                                                      const std::vector<model::Finding>& screened) {
  github::ReportStatus status{.night = night.name, .nights_since = 0, .series = {}};
  TBCI_ASSIGN(const auto regressions, context.stores.nights.regressions_of_report(report.id));
  for (const model::Regression& regression : regressions) {
    if (!model::is_open(regression.standing) || regression.step > 0) continue;
    TBCI_ASSIGN(const model::Night found, context.stores.nights.get(regression.night_id));
    if (!is_older(found.name, night.name)) continue;
    status.nights_since = std::max(status.nights_since, night.number - found.number);
    TBCI_ASSIGN(auto one, status_of(context, regression, night, screened));
    // A series that relapsed has several regressions: the oldest knows the level before.
    if (std::ranges::find(status.series, one.series, &github::SeriesStatus::series) == status.series.end())
      status.series.push_back(std::move(one));
  }
  if (status.series.empty()) return std::optional<github::ReportStatus>{};
  // Another runner may have measured them since the report was written.
  TBCI_ASSIGN(const auto elsewhere, measured_elsewhere(context, regressions, report.culprits));
  if (elsewhere) {
    const std::string own = context.config.report.name_runner ? context.config.runner.name : std::string();
    status.elsewhere = github::other_runners_lines(own, elsewhere->series, elsewhere->runners);
    if (contains(github::split_status(report.body).rest, status.elsewhere)) status.elsewhere.clear();
  }
  return std::optional(std::move(status));
}

// Into the report as it is now: a person may have settled or changed it while the status was put together.
Status put_status(SubjectContext& context, std::int64_t report_id, const std::string& section) {
  return context.stores.database.transaction([&]() -> Status {
    TBCI_ASSIGN(model::Report report, context.stores.reports.get(report_id));
    if (!report.open) return {};
    report.body = section + github::split_status(report.body).rest;
    return context.stores.reports.file(report, channels_of(context, report), context.clock.now())
        .map([](const model::Report&) {});
  });
}

}  // namespace

Status tell_standing(SubjectContext& context, const model::Night& night) {
  TBCI_ASSIGN(const auto latest, context.stores.nights.latest(context.name()));
  if (latest && latest->id != night.id) return {};  // an older night was searched again: it is not the latest word
  TBCI_ASSIGN(const auto reports, context.stores.reports.open_reports(context.name()));
  if (reports.empty()) return {};
  TBCI_ASSIGN(const auto screened, context.stores.nights.findings(night.id, storage::Phase::screen));
  for (const model::Report& report : reports) {
    TBCI_ASSIGN(const auto status, status_of(context, report, night, screened));
    if (status) TBCI_TRY(put_status(context, report.id, github::status_section(*status)));
  }
  return {};
}

}  // namespace tbci::pipeline
