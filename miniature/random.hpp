// Numbers that are the same with every standard library: the engine is fixed by the standard, distributions are not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace tbci::miniature {

class Random {
 public:
  /// Each purpose has numbers of its own, so that one more fault does not move everything else.
  Random(std::uint64_t seed, std::uint64_t purpose) : engine_(seed * 0x9e3779b97f4a7c15ULL + purpose) {}

  /// 0 <= result < limit. The remainder is a little uneven, which does not matter here.
  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(engine_() % limit); }

  template <typename T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace tbci::miniature
