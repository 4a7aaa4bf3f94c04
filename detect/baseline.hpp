// What a series usually is: a robust level of its last nights, for a screen that measures the new build alone.
#pragma once

#include <optional>
#include <span>

#include "detect/leak.hpp"
#include "detect/thresholds.hpp"
#include "storage/model/night.hpp"

namespace tbci::detect {

/// What one night measured of a series, on the build of that night.
struct NightValues {
  int night = 0;  ///< its number among the subject's nights; ascending, some may be missing
  /// One per process, in the metric's unit; of leaks what is certain of them (certain_growth). The caller keeps them.
  std::span<const double> values;
  bool restarts = false;  ///< an accepted change or an environment event came with it: older ones don't count
};

struct BaselineSettings {
  int window = 10;        ///< the newest nights since the beginning that count
  int least_nights = 8;   ///< with fewer there is no baseline yet
  int reference_lag = 3;  ///< how many nights back the build lies that a suspect is confirmed against
};

struct Baseline {
  double level = 0;  ///< median of the nights' medians: logarithm of the metric's unit; for leaks bytes
  double scale = 0;  ///< scaled MAD of the nights' medians around it, in the same measure
  int nights = 0;    ///< that it is made of
  /// The night whose build a suspect is confirmed against: the newest that has `reference_lag` - 1 newer ones behind
  /// it. A step that the screen overlooked on its first night is still between the two builds on the next ones.
  int reference_night = 0;
};

/// `history`: the oldest first, without tonight. Values that can't be true are left out, and nights without any.
/// Nothing while the nights since the last new beginning are too few. Pure.
std::optional<Baseline> baseline_of(model::Metric metric, std::span<const NightValues> history,
                                    const BaselineSettings& settings = {});

/// Compares tonight's processes with the baseline as `screen` does with the old build's: `clear`, `suspect`,
/// or `inconclusive` with the reason, where there is no baseline, where its nights differ by so much that they say
/// nothing of a change of `relative`, or where values can't be true: then the old build is to be measured beside.
/// Nothing is ever filed from it: a whole night that is slow is suspect here. Pure.
model::Finding screen_against(const model::Series& series, const std::optional<Baseline>& baseline,
                              std::span<const double> tonight, const Thresholds& thresholds);
/// The same of a leak. What a leak usually is, is known exactly: only tonight's processes have intervals.
model::Finding screen_against(const model::Series& series, const std::optional<Baseline>& baseline,
                              std::span<const Growth> tonight, const Thresholds& thresholds);

/// By how much the machine moved a series at least, as a fraction; nullopt where it did not. `tonight` is of an OLD
/// build and must differ from the baseline. More than half of that must lie between it and `own_night`, the nearest of
/// the values that the same build gave on the night that measured it first: the rest came with the build, in a step
/// that no night confirmed. Nullopt without `own_night` as well: it may have been so from the beginning. No machine
/// makes a leak. Pure.
std::optional<double> machine_move(const model::Series& series, const std::optional<Baseline>& baseline,
                                   std::span<const double> own_night, std::span<const double> tonight,
                                   const Thresholds& thresholds);

/// Whether tonight's processes so far are enough to call the series clear: each lies so near to a steady baseline that
/// a step worth an issue would have to hide in every one of them. Pure.
bool is_clearly_usual(const model::Series& series, const std::optional<Baseline>& baseline,
                      std::span<const double> tonight, const Thresholds& thresholds);

}  // namespace tbci::detect
