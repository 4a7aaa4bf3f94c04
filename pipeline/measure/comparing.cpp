#include "pipeline/measure/comparing.hpp"

#include <algorithm>
#include <iterator>

#include "pipeline/measure/break_confirming.hpp"
#include "pipeline/measure/confirming.hpp"
#include "pipeline/measure/screening.hpp"

namespace tbci::pipeline {

Result<std::vector<model::Finding>> compare_builds(SubjectContext& context, const ComparisonPlan& plan,
                                                   std::span<const model::Metric> metrics) {
  const auto is_wanted = [&](model::Metric metric) {
    return metrics.empty() || std::ranges::find(metrics, metric) != metrics.end();
  };
  TBCI_ASSIGN(Screen screen, screen_builds(context, plan));
  std::erase_if(screen.series, [&](const ScreenedSeries& one) { return !is_wanted(one.finding.series.metric); });
  TBCI_ASSIGN(const auto confirmed, confirm_suspects(context, plan, screen));
  std::vector<model::Finding> findings = merged(findings_of(screen.series), confirmed);
  if (is_wanted(model::Metric::outcome)) {
    TBCI_ASSIGN(auto broken, confirm_breaks(context, plan, screen));
    std::ranges::move(broken, std::back_inserter(findings));
  }
  return findings;
}

}  // namespace tbci::pipeline
