#include "bisect/selftest/other_searches.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>

#include "storage/model/measurement.hpp"

namespace tbci::bisect::selftest {
namespace {

constexpr double torchbench_threshold = 0.07;
constexpr double pinpoint_differ = 0.01;
constexpr int pinpoint_first_processes = 10, pinpoint_most_processes = 160;
constexpr int pinpoint_most_builds = 60;

double median_of_processes(SimulatedProcesses& machine, std::size_t commit, std::size_t series, int processes) {
  std::vector<double> values;
  for (int i = 0; i < processes; ++i) values.push_back(machine.measure(commit, series));
  return model::median(std::move(values));
}

std::vector<std::size_t> between(std::size_t good, std::size_t bad) {
  std::vector<std::size_t> all;
  for (std::size_t at = good + 1; at <= bad; ++at) all.push_back(at);
  return all;
}

/// The commit nearest to the middle that is not known to be broken.
std::optional<std::size_t> next_untried(std::size_t good, std::size_t bad, const std::set<std::size_t>& skipped) {
  const std::size_t middle = (good + bad) / 2;
  std::optional<std::size_t> nearest;
  for (std::size_t at = good + 1; at < bad; ++at) {
    if (skipped.count(at) != 0) continue;
    const auto distance = [&](std::size_t i) { return i < middle ? middle - i : i - middle; };
    if (!nearest || distance(at) < distance(*nearest)) nearest = at;
  }
  return nearest;
}

double upper_tail(double z) {
  return 0.5 * std::erfc(z / std::numbers::sqrt2);
}

/// Two samples of `processes` values each count as the same above this p: 99% of the p values of samples that lie one
/// interquartile range apart are below it. From the normal approximation of U.
double bound_of_same(int processes) {
  constexpr double shift = 1.349;  // an interquartile range, in standard deviations
  const double n = processes;
  const double likelihood = 1 - upper_tail(shift / std::numbers::sqrt2);
  const double z = (likelihood - 0.5) * std::sqrt(12 * n * n / (2 * n + 1)) - 2.326;
  return z <= 0 ? 1 : std::max(pinpoint_differ, 2 * upper_tail(z));
}

enum class Compared { same, different, unknown };

Compared compare(const std::vector<double>& a, const std::vector<double>& b) {
  const double p = std::min(mann_whitney(a, b), kolmogorov_smirnov(a, b));
  if (p <= pinpoint_differ) return Compared::different;
  const auto processes = static_cast<int>(std::min(a.size(), b.size()));
  return p > bound_of_same(processes) || processes >= pinpoint_most_processes ? Compared::same : Compared::unknown;
}

class Pinpoint {
 public:
  Pinpoint(SimulatedProcesses& machine, std::size_t series) : machine_(machine), series_(series) {}

  NamedCulprits search(std::size_t last) {
    measure(0, pinpoint_first_processes);
    measure(last, pinpoint_first_processes);
    while (compare_neighbours()) {
    }
    NamedCulprits named;
    for (auto left = values_.begin(); std::next(left) != values_.end(); ++left) {
      const auto right = std::next(left);
      if (compare(left->second, right->second) == Compared::different)
        named.push_back(between(left->first, right->first));
    }
    return named;
  }

 private:
  void measure(std::size_t at, int processes) {
    std::vector<double>& values = values_[at];
    while (static_cast<int>(values.size()) < processes) values.push_back(machine_.measure(at, series_));
  }

  /// Compares all neighbours once; false when nothing is left to do.
  bool compare_neighbours() {
    std::map<std::size_t, int> wanted;
    for (auto left = values_.begin(); std::next(left) != values_.end(); ++left) {
      const auto right = std::next(left);
      const Compared compared = compare(left->second, right->second);
      if (compared == Compared::unknown) {
        const auto more = 2 * static_cast<int>(std::min(left->second.size(), right->second.size()));
        wanted[left->first] = std::max(wanted[left->first], std::min(more, pinpoint_most_processes));
        wanted[right->first] = std::max(wanted[right->first], std::min(more, pinpoint_most_processes));
      } else if (compared == Compared::different && right->first - left->first > 1) {
        const std::size_t middle = (left->first + right->first) / 2;
        if (machine_.builds() < pinpoint_most_builds && machine_.build(middle))
          wanted[middle] = pinpoint_first_processes;
      }
    }
    bool any = false;
    for (const auto& [at, processes] : wanted) {
      any = any || static_cast<int>(values_[at].size()) < processes;
      measure(at, processes);
    }
    return any;
  }

  SimulatedProcesses& machine_;
  std::size_t series_;
  std::map<std::size_t, std::vector<double>> values_;
};

}  // namespace

double mann_whitney(const std::vector<double>& a, const std::vector<double>& b) {
  double u = 0;
  for (double x : a) {
    for (double y : b) u += x > y ? 1 : x == y ? 0.5 : 0;
  }
  const auto n = static_cast<double>(a.size()), m = static_cast<double>(b.size());
  const double z = std::max(0.0, std::abs(u - n * m / 2) - 0.5) / std::sqrt(n * m * (n + m + 1) / 12);
  return std::min(1.0, 2 * upper_tail(z));
}

double kolmogorov_smirnov(std::vector<double> a, std::vector<double> b) {
  std::ranges::sort(a);
  std::ranges::sort(b);
  const auto n = static_cast<double>(a.size()), m = static_cast<double>(b.size());
  double distance = 0;
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    const double x = std::min(a[i], b[j]);
    while (i < a.size() && a[i] <= x) ++i;
    while (j < b.size() && b[j] <= x) ++j;
    distance = std::max(distance, std::abs(static_cast<double>(i) / n - static_cast<double>(j) / m));
  }
  const double root = std::sqrt(n * m / (n + m));
  const double lambda = (root + 0.12 + 0.11 / root) * distance;  // Stephens 1970
  if (lambda < 0.2) return 1;
  double p = 0;
  for (int k = 1; k <= 100; ++k) p += (k % 2 == 1 ? 2 : -2) * std::exp(-2.0 * k * k * lambda * lambda);
  return std::clamp(p, 0.0, 1.0);
}

NamedCulprits git_bisect(SimulatedProcesses& machine, const SimulatedDay& day, std::size_t series, int processes) {
  std::size_t good = 0, bad = day.commits;
  const double before = median_of_processes(machine, good, series, processes);
  const double threshold = std::sqrt(before * median_of_processes(machine, bad, series, processes));
  std::set<std::size_t> skipped;
  while (const auto next = next_untried(good, bad, skipped)) {
    const std::size_t at = *next;
    if (!machine.build(at)) {
      skipped.insert(at);
      continue;
    }
    (median_of_processes(machine, at, series, processes) > threshold ? bad : good) = at;
  }
  return {between(good, bad)};
}

NamedCulprits torchbench(SimulatedProcesses& machine, const SimulatedDay& day, std::size_t series) {
  NamedCulprits named;
  std::map<std::size_t, double> values = {{0, machine.measure(0, series)},
                                          {day.commits, machine.measure(day.commits, series)}};
  std::vector<std::pair<std::size_t, std::size_t>> pairs = {{0, day.commits}};
  while (!pairs.empty()) {
    const auto [left, right] = pairs.back();
    pairs.pop_back();
    if (std::abs(values[right] / values[left] - 1) < torchbench_threshold) continue;
    const std::size_t middle = (left + right) / 2;
    if (middle == left || !machine.build(middle)) {
      named.push_back(between(left, right));
      continue;
    }
    values[middle] = machine.measure(middle, series);
    pairs.emplace_back(left, middle);
    pairs.emplace_back(middle, right);
  }
  return named;
}

NamedCulprits pinpoint(SimulatedProcesses& machine, const SimulatedDay& day, std::size_t series) {
  return Pinpoint(machine, series).search(day.commits);
}

}  // namespace tbci::bisect::selftest
