// Random numbers that are the same with every standard library.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "detect/selftest/noise.hpp"

namespace tbci::thousand {

/// One stream of a seed. Streams of different numbers are independent, so that what one kind of event draws changes
/// nothing for the others.
class Chance {
 public:
  Chance(std::uint64_t seed, std::uint64_t stream) : random_(detect::selftest::stream_seed(seed, stream)) {}

  /// Evenly from 0 to 1, without both.
  double uniform() { return (static_cast<double>(random_() >> 11) + 0.5) / 9007199254740992.0; }
  double between(double least, double most) { return least + (most - least) * uniform(); }
  /// Evenly on the logarithms.
  double scaled(double least, double most) { return std::exp(between(std::log(least), std::log(most))); }
  bool happens(double probability) { return uniform() < probability; }
  /// A whole number from `first` to `last`, both included.
  std::int64_t whole(std::int64_t first, std::int64_t last) {
    return first + static_cast<std::int64_t>(uniform() * static_cast<double>(last - first + 1));
  }
  /// An index below `count`, which is above 0.
  std::size_t index(std::size_t count) {
    return static_cast<std::size_t>(whole(0, static_cast<std::int64_t>(count) - 1));
  }
  /// Box and Muller (1958); of the two numbers that they make the second is kept for the next call.
  double gaussian() {
    if (kept_) {
      kept_ = false;
      return spare_;
    }
    const double radius = std::sqrt(-2 * std::log(uniform())), angle = 2 * 3.14159265358979323846 * uniform();
    spare_ = radius * std::sin(angle);
    kept_ = true;
    return radius * std::cos(angle);
  }

 private:
  std::mt19937_64 random_;
  double spare_ = 0;
  bool kept_ = false;
};

}  // namespace tbci::thousand
