// Options that several commands share: which subject, which benchmarks, which configurations.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "detect/change_points.hpp"
#include "settings/config.hpp"

namespace CLI {
class App;
}

namespace tbci::daemon {

struct Selection {
  std::string subject;
  std::vector<std::string> benchmarks;
  std::vector<std::string> configurations;
  std::vector<std::string> backends;  ///< empty: as configured
  std::string precision;              ///< empty: as configured
  int processes = 0;                  ///< 0: as configured
  double threshold = 0;               ///< 0: as configured
};

void add_subject_option(CLI::App& command, Selection& selection);
/// --benchmarks, --configurations, --backend, --precision
void add_benchmark_options(CLI::App& command, Selection& selection);
/// The same, and --processes.
void add_case_options(CLI::App& command, Selection& selection);
void add_threshold_option(CLI::App& command, Selection& selection);
/// --min-segment, --alpha, --least-change
void add_change_point_options(CLI::App& command, detect::ChangePointOptions& options);

/// Overrides the configuration with the selection. Errors (usage) name what is wrong.
Status apply(const Selection& selection, settings::Config& config);

}  // namespace tbci::daemon
