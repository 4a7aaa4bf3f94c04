// Random numbers that are the same with each LibTorch.
#pragma once

#include <cstdint>

namespace tbci::suite {

// SplitMix64 (Steele, Lea and Flood, 2014): any number is a good seed.
class SplitMix {
 public:
  explicit SplitMix(std::uint64_t state) : state_(state) {}

  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }

  double unit() { return static_cast<double>(next() >> 11U) * 0x1p-53; }  // from 0, below 1

 private:
  std::uint64_t state_;
};

}  // namespace tbci::suite
