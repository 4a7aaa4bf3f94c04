#include "bisect/drift.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "base/assert.hpp"
#include "detect/robust_statistics.hpp"

namespace tbci::bisect {
namespace {

constexpr double most_standard_errors = 4;
constexpr std::size_t fewest_pairs = 5;
constexpr double accepted_chance = 1e-3;
// Looser: the medians are of few readings, which hides a part of what is shared, and measuring in pairs costs little.
constexpr std::size_t fewest_successions = 12;
constexpr double accepted_chance_of_sharing = 0.01;

/// The median by distance to `to`; of two middle values the nearer one, so that one slow process is not a drift.
double nearer_median(std::vector<double> values, double to) {
  std::ranges::sort(values, {}, [to](double value) { return std::abs(value - to); });
  return values[(values.size() - 1) / 2];
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

/// Whether Pearson's coefficient is positive beyond `chance`, by its t test.
bool is_correlation_positive(std::span<const detect::Pair> pairs, double chance) {
  const auto count = static_cast<double>(pairs.size());
  double before = 0, after = 0;
  for (const detect::Pair& pair : pairs) {
    before += pair.before / count;
    after += pair.after / count;
  }
  double both = 0, before_alone = 0, after_alone = 0;
  for (const detect::Pair& pair : pairs) {
    both += (pair.before - before) * (pair.after - after);
    before_alone += (pair.before - before) * (pair.before - before);
    after_alone += (pair.after - after) * (pair.after - after);
  }
  if (before_alone <= 0 || after_alone <= 0) return false;
  const double r = std::min(both / std::sqrt(before_alone * after_alone), 1 - 1e-12);
  if (r <= 0) return false;
  return detect::student_t_upper_tail(r * std::sqrt((count - 2) / (1 - r * r)), count - 2) < chance;
}

}  // namespace

DriftState drift_of(std::span<const std::vector<double>> sessions, double noise) {
  TBCI_ASSERT(noise > 0);
  if (sessions.size() < 2) return DriftState::steady;
  const std::vector<double>& first = sessions.front();
  const double level = median(first);
  bool unsure = false;
  for (const std::vector<double>& session : sessions.subspan(1)) {
    TBCI_ASSERT(!session.empty());
    const double off = std::abs(nearer_median(session, level) - level);
    const double error =
        noise * std::sqrt(1 / static_cast<double>(session.size()) + 1 / static_cast<double>(first.size()));
    if (off <= most_standard_errors * error) continue;
    if (session.size() >= 2) return DriftState::drifting;
    unsure = true;
  }
  return unsure ? DriftState::unsure : DriftState::steady;
}

bool is_noise_shared(std::span<const BuildReading> readings) {
  std::map<std::size_t, std::vector<double>> by_build;
  for (const BuildReading& reading : readings) by_build[reading.build].push_back(reading.value);
  std::map<std::size_t, double> medians;
  for (const auto& [build, values] : by_build) {
    if (values.size() >= 2) medians[build] = median(values);
  }
  std::vector<detect::Pair> successions;
  std::optional<double> last;
  for (const BuildReading& reading : readings) {
    const auto level = medians.find(reading.build);
    if (level == medians.end()) {  // a single reading is its own median
      last.reset();
      continue;
    }
    const double distance = reading.value - level->second;
    if (last) successions.push_back({*last, distance});
    last = distance;
  }
  return successions.size() >= fewest_successions && is_correlation_positive(successions, accepted_chance_of_sharing);
}

bool are_correlated(std::span<const detect::Pair> readings) {
  return readings.size() >= fewest_pairs && is_correlation_positive(readings, accepted_chance);
}

}  // namespace tbci::bisect
