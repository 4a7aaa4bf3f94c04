#include "pipeline/night/report_owners.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "github/report_notes.hpp"
#include "github/status_section.hpp"

namespace tbci::pipeline {

namespace {

using Reports = std::map<std::int64_t, model::Report>;

Result<Reports> reports_of(const storage::Stores& stores, const std::vector<ReportGroup>& groups) {
  Reports reports;
  for (const ReportGroup& group : groups) {
    for (const model::Regression& one : group.regressions) {
      if (!one.report_id || reports.contains(*one.report_id)) continue;
      TBCI_ASSIGN(auto report, stores.reports.get(*one.report_id));
      reports.emplace(*one.report_id, std::move(report));
    }
  }
  return reports;
}

bool has_one_of(const ReportGroup& group, std::int64_t report_id) {
  return std::ranges::any_of(group.regressions, [&](const auto& one) { return one.report_id == report_id; });
}

int closeness(const ReportGroup& group, const model::Report& report) {
  if (group.suspects == report.culprits) return 3;
  if (model::is_same_culprit(group.suspects, report.culprits)) return 2;
  return group.suspects.empty() ? 0 : 1;
}

// By group: the report that it goes on with. A group that several are nearest to goes on with the one that is nearest
// to it, the oldest of those.
std::vector<std::optional<std::int64_t>> chosen_reports(const std::vector<ReportGroup>& groups,
                                                        const Reports& reports) {
  std::vector<std::optional<std::int64_t>> chosen(groups.size());
  for (const auto& [id, report] : reports) {
    std::optional<std::size_t> nearest;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      if (!has_one_of(groups[i], id)) continue;
      if (!nearest || closeness(groups[i], report) > closeness(groups[*nearest], report)) nearest = i;
    }
    const bool better = !chosen[*nearest] || closeness(groups[*nearest], report) >
                                                 closeness(groups[*nearest], reports.at(*chosen[*nearest]));
    if (better) chosen[*nearest] = id;
  }
  return chosen;
}

Status move_regressions(SubjectContext& context, ReportGroup& group, std::optional<std::int64_t> report_id) {
  for (model::Regression& one : group.regressions) {
    if (!one.report_id || one.report_id == report_id) continue;
    one.report_id = report_id;
    TBCI_TRY(context.stores.nights.update(one));
  }
  return {};
}

Status end_if_empty(SubjectContext& context, model::Report report) {
  TBCI_ASSIGN(const auto left, context.stores.nights.regressions_of_report(report.id));
  if (!left.empty() || !report.open) return {};
  report.open = false;
  report.body = github::split_status(report.body).rest;
  return context.stores.reports.file(report, {}, context.clock.now(), {github::moved_note()})
      .map([](const model::Report&) {});
}

}  // namespace

Status assign_reports(SubjectContext& context, std::vector<ReportGroup>& groups) {
  TBCI_ASSIGN(const Reports reports, reports_of(context.stores, groups));
  if (reports.empty()) return {};
  const auto chosen = chosen_reports(groups, reports);
  return context.stores.database.transaction([&]() -> Status {
    for (std::size_t i = 0; i < groups.size(); ++i) TBCI_TRY(move_regressions(context, groups[i], chosen[i]));
    for (const auto& [id, report] : reports) TBCI_TRY(end_if_empty(context, report));
    return {};
  });
}

}  // namespace tbci::pipeline
