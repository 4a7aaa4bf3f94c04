// Creep: many small steps, each below the threshold, seen against a pinned build that never rolls forward by itself.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "detect/effect.hpp"
#include "detect/thresholds.hpp"
#include "storage/model/night.hpp"

namespace tbci::detect {

struct AnchorSettings {
  int pairs = 3;        ///< interleaved, anchor first, on a night that measures the series
  double lambda = 0.2;  ///< weight of a night in the moving average (Roberts, "Control chart tests based on geometric
                        ///< moving averages", Technometrics 1959)
  /// A confirmation is asked for above this share of the threshold. The average trails a creep of s a night by
  /// (1 - lambda) / lambda * s, so that it must be well below 1: asking costs pairs, and files nothing by itself.
  double ask_share = 0.65;
  /// Above this share of the threshold a series is measured against the anchor every night, whatever the rotation says.
  double watch_share = 0.35;
  /// Once a confirmation has cleared it, a series that stands still below the threshold is not confirmed every night:
  /// it is asked for again when the average is this share of the threshold above what the confirmation found ...
  double rise_share = 0.15;
  /// ... or after this number of nights, and each time after twice as many: the average trails a creep that goes on.
  int first_wait = 1;
  /// Number of confirmations in a row that may end inconclusive, each asked again at once, before the same holds for
  /// them.
  int most_inconclusive = 6;
  /// A regression has gone when this number of nights in a row, measured against the anchor, are below half of it ...
  int gone_nights = 3;
  double gone_share = 0.75;   ///< ... and their pairs together are surely below this share of it
  int most_gone_nights = 12;  ///< in a row whose pairs are judged together: more of them say nothing more
};

/// A confirmation against the anchor that was asked for.
struct AnchorConfirmation {
  model::Verdict verdict = model::Verdict::clear;
  double effect = 0;  ///< its estimate: of the logarithms, or bytes for leaks
};

/// A night on which a series was measured against the anchor.
struct AnchorNight {
  int night = 0;                ///< its number among the subject's nights; ascending
  std::span<const Pair> pairs;  ///< anchor, then tonight's build; the caller keeps them
  std::optional<AnchorConfirmation> confirmation;
};

struct AnchorReading {
  double average = 0;    ///< of the effect: of the logarithms, or bytes for leaks
  int nights = 0;        ///< that it is made of
  bool asks = false;     ///< for a confirmation of tonight's build against the anchor, now
  bool watched = false;  ///< measure it the next night as well, out of its turn
};

/// Where a series stands against its anchor after the last of `nights`, which are those since the anchor was set
/// (at night `set_on`, where the effect was 0), the oldest first. The last few dozen are enough, with the last
/// confirmations: a night that is 40 nights back has a weight below 0.0002.
///
/// The average ages with time, also on nights that skip the series: a night that comes n nights after the one before it
/// has the weight 1 - (1 - lambda)^n. A creep goes on in the nights that do not measure a series, so what was known of
/// it grows as old there; with one weight per measurement a series of every fifth night would be found five times as
/// late. The price is that the average of a series that is measured seldom is noisier, and asks for some more
/// confirmations. A night counts by the median of its pairs; those that can't be true are left out. After a
/// confirmation, which has many more pairs, the average goes on from what that found. A regression that it found is
/// filed, whatever became of it: the series is asked for again when the average is `ask_share` of the threshold above
/// that, or once it has fallen below half of it. Pure.
AnchorReading read_anchor(const model::Series& series, std::span<const AnchorNight> nights, int set_on,
                          const Thresholds& thresholds, const AnchorSettings& settings = {});

/// Whether a regression of `regressed` (as `effect` measures it) was gone at any time since: nights in a row are below
/// half of it, and their pairs together are surely below `gone_share` of it. `before` has nights until the build that
/// it was confirmed against, which say where the series stood then; none: where the anchor stands. `since` has the
/// nights after the one that found it. Both the oldest first. Pure.
bool was_gone(const model::Series& series, double regressed, std::span<const AnchorNight> before,
              std::span<const AnchorNight> since, const Thresholds& thresholds, const AnchorSettings& settings = {});

/// Which of `cases` (by their indices, ascending) are measured against the anchor on that night: `budget` of them in
/// turn, so that each has its turn within ceil(cases / budget) nights, from whichever night one looks. `night` counts
/// the subject's nights without gaps, and never begins again. Pure.
std::vector<std::size_t> anchor_rotation(std::size_t cases, std::size_t night, std::size_t budget);

}  // namespace tbci::detect
