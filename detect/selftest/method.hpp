// What is compared: a way to judge, night after night, whether a series became slower.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "detect/selftest/noise.hpp"

namespace tbci::detect::selftest {

/// What a night took. A pair is two processes.
struct Cost {
  std::int64_t processes = 0;         ///< of the screen, all builds
  std::int64_t confirmations = 0;     ///< series that were confirmed
  std::int64_t confirming_pairs = 0;  ///< for them
  std::int64_t anchor_pairs = 0;      ///< of the rotation
  void add(const Cost& other);
};

struct MethodNight {
  bool filed = false;  ///< a regression
  Cost cost;
};

/// Follows one series. The night was begun at the source.
class Method {
 public:
  virtual ~Method() = default;
  /// `effect`: of tonight's build against the first one (logarithm).
  virtual MethodNight night(Source& source, double effect) = 0;
};

/// A method by its name, made for each series.
struct MethodKind {
  std::string name;
  std::string source;  ///< where the rule is written down
  int warmup = 0;      ///< nights that it needs before it can find anything
  std::function<std::unique_ptr<Method>()> make;
};

}  // namespace tbci::detect::selftest
