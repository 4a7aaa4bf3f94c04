#include "pipeline/bisect/resume_key.hpp"

#include "base/text.hpp"
#include "pipeline/measure/measuring.hpp"
#include "storage/model/run_keys.hpp"

namespace tbci::pipeline {

std::string resume_key(const ManualSearch& search, const settings::Config& config) {
  const settings::MeasureConfig& measure = config.measure;
  std::string question = fmt::format("{}|{}|{}|{}|{}|{}", join(search.series, ","), join(search.metrics, ","),
                                     join(measure.benchmarks, ","), join(search.configurations, ","),
                                     config.thresholds.base.relative, range_of(measure.sampling));
  // A default adds nothing: searches that are older than the setting are found again.
  if (measure.worker.precision != runner::default_precision) question += "|" + measure.worker.precision;
  if (measure.backends != std::vector{model::Backend::eager}) {
    for (const model::Backend backend : measure.backends) question.append("|").append(to_string(backend));
  }
  if (config.bisect.every_commit) question += "|every commit";
  if (config.bisect.priors == settings::Priors::paths) question += "|paths";
  if (config.bisect.priors == settings::Priors::none) question += "|no priors";
  return model::run_keys::manual_bisection(search.from, search.to, question);
}

}  // namespace tbci::pipeline
