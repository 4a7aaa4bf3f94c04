// What counts as a change, and how certain one must be before saying so.
//
// The constants are those with which `tbci selftest detection` files nothing on unchanged series and nearly every step
// of 10% in its first night; docs/decisions/0013-the-nightly-decision.md says how they were chosen.
#pragma once

namespace tbci::detect {

struct Thresholds {
  /// A change over this fraction of the old value is worth an issue (7%: the TorchBench paper, section 4.2).
  double relative = 0.07;
  /// The screen's threshold. Lower, so that noise hides no real 7% from the confirmation.
  double screen = 0.037;
  /// A series leaves the screen early where each of this number of pairs (or processes, against history) ...
  int early_pairs = 3;
  /// ... lies within this share of `relative`.
  double early_share = 1.0 / 3;
  /// The lower bound of a regression must be above this share of `relative` (and of the floors below).
  double lower_bound_share = 0.7;
  /// A bisection takes for a step what is surely above this share of it. Less: the sources may show a part of the
  /// whole.
  double step_share = 0.5;

  /// A memory change must be over `relative` AND over this many bytes: 7% of a small peak is the allocator's whim.
  double memory_floor_bytes = 16.0 * 1024 * 1024;
  /// A leak is a growth that is certainly this many bytes per iteration more than before, whatever it was before: the
  /// lower end of the new build's interval against the upper end of the old one's.
  double leak_floor_bytes = 512;
  /// What a growth lies between where its worker gave no interval: this number of bytes to both sides.
  double leak_unknown_bytes = 4096;

  /// Error of the one-sided bound that makes a regression. About 1,000 series a night: 1e-5 keeps chance out.
  double regression_alpha = 1e-5;
  /// Error of the one-sided bound that makes a series clear. Also that of the interval shown to people.
  double clear_alpha = 1e-3;

  int first_pairs = 8;  ///< before the first look at a time series
  int more_pairs = 4;   ///< from look to look
  int most_pairs = 64;  ///< of one night: then it is decided by the estimate, or is inconclusive
  /// Memory and leaks are nearly deterministic. Six equal answers in a row are few by chance even where an allocator
  /// flips between two states.
  int memory_first_pairs = 6;
  int memory_more_pairs = 2;
  int memory_most_pairs = 16;
  /// Nights that look at a series which stays inconclusive, each with all pairs so far.
  int most_nights = 3;
};

}  // namespace tbci::detect
