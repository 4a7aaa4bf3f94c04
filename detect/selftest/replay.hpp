// Nights made of what was really measured: nothing is assumed of how the numbers are spread.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "detect/selftest/noise.hpp"

namespace tbci::detect::selftest {

/// The same case on the same build, measured on one machine.
struct Recorded {
  std::string name;
  /// One for each run: the values (ns) of its processes, in the order of measuring. All above 0 and finite.
  std::vector<std::vector<double>> runs;
};

/// So few processes repeat themselves too soon to say anything of a night.
inline constexpr std::size_t least_recorded = 10;

/// Blocks that wrap round at the end of a run (Politis and Romano, "A circular block-resampling procedure for
/// stationary data", 1992): what hangs together in time, such as a busy neighbour, hangs together in the replay. A
/// night is drawn from one run, so that nights differ as those of the recording did. Old and new build are the same:
/// A/A, unless the caller lays an effect over one of them.
class ReplaySource final : public Source {
 public:
  /// At least one run, and none empty (asserts). `recorded` must outlive the source.
  ReplaySource(const Recorded& recorded, std::size_t block, std::uint64_t seed);
  void begin_night(double slower) override;
  double process(double effect) override;

 private:
  const Recorded& recorded_;
  std::size_t block_;
  std::mt19937_64 random_;
  const std::vector<double>* run_;
  std::size_t at_ = 0, left_ = 0;
  double slower_ = 0;
};

}  // namespace tbci::detect::selftest
