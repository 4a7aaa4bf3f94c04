#include "detect/operators.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "base/assert.hpp"
#include "detect/robust_statistics.hpp"
#include "storage/model/measurement.hpp"

namespace tbci::detect {

namespace {

using Profiles = std::span<const model::OperatorProfile>;

// What the processes of one build say of one operator; a process that does not call it says 0.
struct OperatorValues {
  explicit OperatorValues(std::size_t processes = 0) : self(processes), calls(processes) {}
  std::vector<double> self, calls;
};

using ByName = std::map<std::string, OperatorValues>;

ByName values_of(Profiles profiles) {
  ByName by_name;
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    const auto put = [&](const std::string& name, std::chrono::nanoseconds self, std::int64_t calls) {
      OperatorValues& values = by_name.try_emplace(name, profiles.size()).first->second;
      values.self[i] = static_cast<double>(self.count());
      values.calls[i] = static_cast<double>(calls);
    };
    for (const model::OperatorTime& each : profiles[i].operators) put(each.name, each.self, each.calls);
    put(model::in_no_operator, profiles[i].outside, 0);
  }
  return by_name;
}

double typical_iteration(Profiles profiles) {
  std::vector<double> iterations;
  for (const auto& profile : profiles) iterations.push_back(static_cast<double>(profile.iteration.count()));
  return model::median(std::move(iterations));
}

std::chrono::nanoseconds rounded(double nanoseconds) {
  return std::chrono::nanoseconds(std::llround(nanoseconds));
}

// The error of the difference between the two medians.
double standard_error(const OperatorValues& before, const OperatorValues& after, double floor) {
  std::vector<double> residuals;
  for (const OperatorValues* side : {&before, &after}) {
    const double middle = model::median(side->self);
    for (const double value : side->self) residuals.push_back(value - middle);
  }
  const double scale = std::max(scaled_mad(residuals), floor);
  const auto share_of = [](const OperatorValues& side) { return 1.0 / static_cast<double>(side.self.size()); };
  return std::sqrt(M_PI / 2) * scale * std::sqrt(share_of(before) + share_of(after));
}

}  // namespace

model::OperatorComparison compare_operators(Profiles before, Profiles after, const OperatorThresholds& thresholds) {
  TBCI_ASSERT(!before.empty() && !after.empty() && before.front().measured == after.front().measured);
  const double iteration = typical_iteration(before);
  model::OperatorComparison comparison;
  comparison.measured = before.front().measured;
  comparison.processes = static_cast<int>(std::min(before.size(), after.size()));
  comparison.before = rounded(iteration);
  comparison.after = rounded(typical_iteration(after));

  ByName old_values = values_of(before), new_values = values_of(after);
  for (const auto& [name, values] : old_values) new_values.try_emplace(name, after.size());
  for (const auto& [name, now] : new_values) {
    const OperatorValues& then = old_values.try_emplace(name, before.size()).first->second;
    const double old_self = model::median(then.self), new_self = model::median(now.self);
    const double difference = std::abs(new_self - old_self);
    const double error = standard_error(then, now, thresholds.scale_floor * std::max(old_self, new_self));
    if (difference < thresholds.least_share * iteration || difference < thresholds.least_errors * error) continue;
    comparison.changed.push_back({.name = name,
                                  .before = rounded(old_self),
                                  .after = rounded(new_self),
                                  .calls_before = std::llround(model::median(then.calls)),
                                  .calls_after = std::llround(model::median(now.calls))});
  }
  std::stable_sort(comparison.changed.begin(), comparison.changed.end(), [](const auto& a, const auto& b) {
    return std::chrono::abs(a.difference()) > std::chrono::abs(b.difference());
  });
  return comparison;
}

bool explains_difference(const model::OperatorComparison& comparison, const OperatorThresholds& thresholds) {
  const auto whole = static_cast<double>(comparison.difference().count());
  if (std::abs(whole) < thresholds.least_step * static_cast<double>(comparison.before.count())) return true;
  double explained = 0;
  for (const model::OperatorChange& change : comparison.changed)
    explained += static_cast<double>(change.difference().count());
  return explained / whole >= thresholds.least_part;
}

}  // namespace tbci::detect
