#include "pipeline/night/domain_labels.hpp"

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "pipeline/measure/benchmark_list.hpp"

namespace tbci::pipeline {

namespace {

// One that was measured: that of the night, else that of the search's bad end.
Result<std::optional<model::Build>> measured_build(SubjectContext& context, const ReportContext& report_context) {
  using model::BuildKind;
  if (!report_context.night.empty())
    return context.stores.builds.find(context.name(), BuildKind::nightly, report_context.night);
  if (report_context.bisection == nullptr) return std::optional<model::Build>{};
  return context.stores.builds.find(context.name(), BuildKind::commit, report_context.bisection->to);
}

}  // namespace

Result<std::vector<std::string>> domain_labels(SubjectContext& context, const ReportContext& report_context,
                                               const std::vector<model::Regression>& regressions) {
  std::vector<std::string> labels;
  const auto& wanted = context.config.report.github.domain_labels;
  if (wanted.empty()) return labels;
  TBCI_ASSIGN(const auto build, measured_build(context, report_context));
  if (!build) return labels;
  const auto listing = listed_benchmarks(context, build->product);
  if (!listing && listing.error().kind == ErrorKind::interrupted) return pass_on(listing.error());
  if (!listing) {
    context.progress.note("no labels by domain: " + one_line(listing.error().message));
    return labels;
  }
  std::set<std::string> domains;
  for (const runner::BenchmarkInfo& benchmark : listing->benchmarks) {
    const bool is_hit = std::ranges::any_of(
        regressions, [&](const auto& one) { return one.finding.series.benchmark == benchmark.name; });
    if (is_hit) domains.insert(benchmark.domain);
  }
  for (const auto& [domain, names] : wanted) {
    const auto has_domain = [&](const runner::BenchmarkInfo& one) { return one.domain == domain; };
    if (std::ranges::none_of(listing->benchmarks, has_domain))
      context.progress.note(fmt::format("no benchmark is of the domain '{}' of domain_labels", one_line(domain, 60)));
    if (!domains.contains(domain)) continue;
    for (const std::string& name : names) {
      if (std::ranges::find(labels, name) == labels.end()) labels.push_back(name);
    }
  }
  return labels;
}

}  // namespace tbci::pipeline
