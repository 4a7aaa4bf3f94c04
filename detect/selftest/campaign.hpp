// Many series of many nights, on all cores, with the same answer whatever their number.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "detect/selftest/method.hpp"
#include "detect/selftest/statistics.hpp"

namespace tbci::detect::selftest {

/// What happens to a series after the nights that the method needs first. All fractions; nothing: an unchanged series.
struct Scenario {
  std::string name;
  double step = 0;       ///< slower from the first night on
  double creep = 0;      ///< slower by so much more each night, the first included
  double bad_night = 0;  ///< on the first night everything is slow by this
  int nights = 20;       ///< that are looked at
  /// Whether what is filed is what was to be found. Else it is a false alarm.
  bool real() const { return step > 0 || creep > 0; }
};

struct Tally {
  std::int64_t series = 0;
  std::int64_t nights = 0;             ///< that were looked at
  std::int64_t alarms = 0;             ///< regressions that were filed
  std::int64_t early_alarms = 0;       ///< filed before anything had happened
  std::vector<std::int64_t> found_on;  ///< series by the night of their first filing, from the first of the scenario
  Cost cost;                           ///< of the nights that were looked at
  void add(const Tally& other);
};

/// Follows one series. An unchanged one goes on after an alarm, and its warm-up is looked at as well; one that changed
/// ends when it is found.
Tally follow(const MethodKind& method, Source& source, const Scenario& scenario);

struct Campaign {
  MethodKind method;
  Scenario scenario;
  std::int64_t series = 0;
  std::uint64_t seed = 0;
  /// The source of a series, of its seed alone. Called from several threads.
  std::function<std::unique_ptr<Source>(std::uint64_t)> source;
};

/// Called from the thread that waits, about twice a second.
using OnProgress = std::function<void(std::int64_t series_done)>;

/// Sums over all series; the same for any number of `jobs` (at least one). Error: interrupted.
Result<Tally> run(const Campaign& campaign, int jobs, const OnProgress& progress, std::stop_token stop);

/// Share of the series that were filed within the first `nights` nights, with its 95% interval.
struct Share {
  double value = 0;
  Proportion interval;
};
Share found_within(const Tally& tally, int nights);
/// False alarms of 1,000 nights of a series, with their 95% interval.
Share alarms_per_thousand(const Tally& tally);
/// The night (1: the first) by which that share of all series was filed; nothing where fewer were.
std::optional<int> found_by(const Tally& tally, double share);

}  // namespace tbci::detect::selftest
