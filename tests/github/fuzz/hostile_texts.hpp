// Makes texts that try to be more than text: what GitHub interprets, put together, cut and damaged at random.
#pragma once

#include <cstdint>
#include <random>
#include <string>

namespace tbci::fuzz {

/// Equal seeds give equal texts on every machine. Not thread-safe.
class HostileTexts {
 public:
  explicit HostileTexts(std::uint64_t seed);

  /// Any bytes: mostly a few dozen, now and then none, some thousands, or broken UTF-8.
  std::string next();

  /// A number below `limit`, which is at least 1.
  std::size_t below(std::size_t limit);

 private:
  std::string piece();
  std::string run();
  std::string character();

  std::mt19937_64 random_;
};

}  // namespace tbci::fuzz
