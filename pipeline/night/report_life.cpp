#include "pipeline/night/report_life.hpp"

#include <algorithm>

#include "github/report_notes.hpp"
#include "github/status_section.hpp"

namespace tbci::pipeline {

namespace {

bool is_settled_by_person(const model::Regression& regression) {
  return regression.standing == model::Standing::accepted || regression.standing == model::Standing::dismissed;
}

}  // namespace

bool is_any_open(const std::vector<model::Regression>& regressions) {
  return std::ranges::any_of(regressions, [](const auto& one) { return model::is_open(one.standing); });
}

Result<std::vector<model::Decision>> decisions_of(const storage::Stores& stores,
                                                  const std::vector<model::Regression>& regressions) {
  std::vector<model::Decision> last;
  for (const model::Regression& regression : regressions) {
    if (!is_settled_by_person(regression)) continue;
    TBCI_ASSIGN(const auto all, stores.decisions.of_regression(regression.id));
    if (!all.empty()) last.push_back(all.back());
  }
  return last;
}

Status settle_report(storage::Stores& stores, std::int64_t report_id, const model::Decision& decision,
                     Telling telling) {
  TBCI_ASSIGN(model::Report report, stores.reports.get(report_id));
  TBCI_ASSIGN(const auto regressions, stores.nights.regressions_of_report(report_id));
  const bool open = is_any_open(regressions);
  if (report.open == open) return {};
  report.open = open;
  if (!open) report.body = github::split_status(report.body).rest;
  std::vector<std::string> notes;
  if (telling == Telling::by_note) {
    TBCI_ASSIGN(const auto decisions, decisions_of(stores, regressions));
    notes.push_back(open ? github::reopening_note(decision) : github::ending_note({}, decisions));
  }
  return stores.reports.file(report, {}, decision.decided, notes).map([](const model::Report&) {});
}

}  // namespace tbci::pipeline
