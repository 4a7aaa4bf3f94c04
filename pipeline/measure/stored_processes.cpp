#include "pipeline/measure/stored_processes.hpp"

#include "base/text.hpp"
#include "pipeline/measure/suite_case.hpp"

namespace tbci::pipeline {

namespace {

// Why a process has no number to compare; empty where it has.
std::string why_no_number(const model::Measurement& measurement) {
  if (measurement.outcome != model::Outcome::done)
    return fmt::format("{}: {}", to_string(measurement.outcome), one_line(measurement.message, 200));
  if (!measurement.finite.value_or(true)) return "its results are not finite numbers";
  if (measurement.alternating) return "measured only in turns with another build";
  return {};
}

void take(const model::Run& run, model::Measurement measurement, StoredProcesses& into) {
  std::string why = why_no_number(measurement);
  if (!why.empty()) {
    if (into.why.empty()) into.why = std::move(why);
    return;
  }
  if (into.environment.empty()) into.environment = run.environment;
  if (into.environment == run.environment) into.processes.push_back(std::move(measurement));
}

}  // namespace

Result<std::map<model::Case, StoredProcesses>> stored_processes(const storage::Stores& stores, std::int64_t build_id,
                                                                const std::string& runner) {
  std::map<model::Case, StoredProcesses> all;
  TBCI_ASSIGN(const auto runs, stores.runs.runs_of_build(build_id));
  for (const model::Run& run : runs) {
    if (run.runner != runner) continue;
    TBCI_ASSIGN(auto measurements, stores.runs.measurements(run.id, build_id));
    for (model::PlacedMeasurement& one : measurements) {
      const model::Case measured = one.measurement.measured;
      if (!is_suite(measured)) take(run, std::move(one.measurement), all[measured]);
    }
  }
  for (auto& [measured, stored] : all) {
    if (!stored.processes.empty()) stored.why.clear();
  }
  return all;
}

}  // namespace tbci::pipeline
