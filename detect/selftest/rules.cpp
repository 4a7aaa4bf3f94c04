#include "detect/selftest/rules.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "detect/selftest/e_divisive.hpp"
#include "detect/selftest/statistics.hpp"
#include "storage/model/measurement.hpp"

namespace tbci::detect::selftest {

namespace {

constexpr double seven_percent = 0.07;
constexpr std::size_t processes_a_night = 5;
constexpr std::size_t kept_nights = 101;

std::vector<double> medians_of(Nights nights) {
  std::vector<double> medians;
  medians.reserve(nights.size());
  for (const auto& night : nights) medians.push_back(model::median(night));
  return medians;
}

/// One rule over the history since its last alarm.
class RuleMethod final : public Method {
 public:
  explicit RuleMethod(bool (*alarms)(Nights)) : alarms_(alarms) {}

  MethodNight night(Source& source, double effect) override {
    std::vector<double> values;
    for (std::size_t i = 0; i < processes_a_night; ++i) values.push_back(source.process(effect));
    if (nights_.size() == kept_nights) nights_.erase(nights_.begin());
    nights_.push_back(std::move(values));
    MethodNight result;
    result.cost.processes = processes_a_night;
    result.filed = alarms_(nights_);
    if (result.filed) nights_.erase(nights_.begin(), nights_.end() - 1);  // what was reported is accepted
    return result;
  }

 private:
  bool (*alarms_)(Nights);
  std::vector<std::vector<double>> nights_;
};

struct Weighted {
  double mean = 0, variance = 0;
  double count = 0;
};

/// Weights fall linearly from the first value to the last; the variance is about the weighted mean.
Weighted linearly_weighted(std::span<const double> values) {
  Weighted result;
  result.count = static_cast<double>(values.size());
  double weights = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double weight = (result.count - static_cast<double>(i)) / result.count;
    result.mean += weight * values[i];
    weights += weight;
  }
  result.mean /= weights;
  for (double value : values) result.variance += (value - result.mean) * (value - result.mean);
  result.variance /= std::max(result.count - 1, 1.0);
  return result;
}

/// t and change of the split before `at`, as Perfherder weighs it: the nearest nights most.
struct Split {
  double t = 0, change = 0;
};

Split perfherder_split(std::span<const double> medians, std::size_t at) {
  constexpr std::size_t most_before = 24, after = 12;
  std::vector<double> back(medians.begin() + static_cast<std::ptrdiff_t>(at > most_before ? at - most_before : 0),
                           medians.begin() + static_cast<std::ptrdiff_t>(at));
  std::reverse(back.begin(), back.end());
  const auto forward = medians.subspan(at, std::min(after, medians.size() - at));
  const Weighted before = linearly_weighted(back), later = linearly_weighted(forward);
  const double error = std::sqrt(before.variance / before.count + later.variance / later.count);
  Split split;
  if (error > 0) split.t = std::abs(later.mean - before.mean) / error;
  split.change = later.mean / before.mean - 1;
  return split;
}

}  // namespace

bool torchbench_alarms(Nights nights) {
  if (nights.size() < 2) return false;
  return nights.back().front() / nights[nights.size() - 2].front() > 1 + seven_percent;
}

bool median_alarms(Nights nights) {
  if (nights.size() < 2) return false;
  return model::median(nights.back()) / model::median(nights[nights.size() - 2]) > 1 + seven_percent;
}

bool rustc_alarms(Nights nights) {
  constexpr std::size_t least = 10, most = 30;
  if (nights.size() < least + 2) return false;
  const auto medians = medians_of(nights.size() > most + 2 ? nights.last(most + 2) : nights);
  std::vector<double> changes;
  for (std::size_t i = 1; i + 1 < medians.size(); ++i) changes.push_back(std::abs(medians[i] / medians[i - 1] - 1));
  std::sort(changes.begin(), changes.end());
  // Tukey's hinges: the medians of the two halves.
  const auto half = static_cast<std::ptrdiff_t>(changes.size() / 2);
  const double q1 = model::median({changes.begin(), changes.begin() + half});
  const double q3 = model::median({changes.end() - half, changes.end()});
  return medians.back() / medians[medians.size() - 2] - 1 > q3 + 3 * (q3 - q1);
}

bool conbench_alarms(Nights nights) {
  constexpr std::size_t least = 10;
  if (nights.size() < least + 1) return false;
  std::vector<double> means;
  for (const auto& night : nights)
    means.push_back(std::accumulate(night.begin(), night.end(), 0.0) / static_cast<double>(night.size()));
  const double tonight = means.back();
  means.pop_back();
  const Moments past = moments_of(means);
  return tonight > past.mean + 5 * std::sqrt(past.variance);
}

bool perfherder_alarms(Nights nights) {
  constexpr std::size_t fore = 12, least_before = 12, most_before = 24;
  constexpr double least_t = 7;
  if (nights.size() < fore + least_before) return false;
  const auto medians =
      medians_of(nights.size() > fore + most_before + 1 ? nights.last(fore + most_before + 1) : nights);
  const std::size_t at = medians.size() - fore;
  const Split split = perfherder_split(medians, at);
  if (split.t <= least_t || split.change <= seven_percent) return false;
  return perfherder_split(medians, at - 1).t <= split.t && perfherder_split(medians, at + 1).t <= split.t;
}

bool e_divisive_alarms(Nights nights) {
  constexpr std::size_t window = 50, least = 3;
  if (nights.size() < 2 * least) return false;
  const auto medians = medians_of(nights.size() > window ? nights.last(window) : nights);
  const auto points = e_divisive(medians, 0.001, least);
  if (points.empty()) return false;
  const std::span<const double> all(medians);
  const std::size_t newest = points.back();
  const std::size_t before = points.size() > 1 ? points[points.size() - 2] : 0;
  return moments_of(all.subspan(newest)).mean / moments_of(all.subspan(before, newest - before)).mean >
         1 + seven_percent;
}

std::vector<MethodKind> other_rules() {
  const auto kind = [](const char* name, const char* source, int warmup, bool (*alarms)(Nights)) {
    return MethodKind{name, source, warmup, [alarms] { return std::make_unique<RuleMethod>(alarms); }};
  };
  return {
      kind("torchbench", "Hao et al., TorchBench (arXiv 2304.14226), section 4.2: one process, 7%", 2,
           torchbench_alarms),
      kind("median", "the same of the medians of five processes", 2, median_alarms),
      kind("rustc-perf", "rust-lang/rustc-perf, docs/comparison-analysis.md: Q3 + 3 IQR", 40, rustc_alarms),
      kind("conbench", "conbench/conbench, lookback z-score, threshold 5", 40, conbench_alarms),
      kind("perfherder", "mozilla/treeherder, perfalert: t > 7, back 12 to 24, forward 12; 7% instead of 2%", 40,
           perfherder_alarms),
      kind("e-divisive", "apache/otava: E-divisive in 50 nights, t test at 0.001; with 7%", 50, e_divisive_alarms),
  };
}

}  // namespace tbci::detect::selftest
