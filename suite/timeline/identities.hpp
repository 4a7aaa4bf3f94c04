// From the addresses of storages to numbers that mean the same memory for as long as it is that. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace tbci::suite {

// An allocator gives an address again. So a call that returns a storage which it was not given has made a new one,
// unless a call within it has, which ends first.
class Identities {
 public:
  // The number of a storage that a call is given.
  std::int64_t given(std::uintptr_t address) {
    const auto [place, is_new] = known_.try_emplace(address, Known{next_, -1});
    if (is_new) ++next_;
    return place->second.number;
  }

  // That of one which a call returns. It began and ended at these times.
  std::int64_t returned(std::uintptr_t address, const std::vector<std::uintptr_t>& inputs, std::int64_t begin,
                        std::int64_t end) {
    const bool passed = std::find(inputs.begin(), inputs.end(), address) != inputs.end();
    const auto place = known_.find(address);
    if (place != known_.end() && (passed || place->second.made >= begin)) return place->second.number;
    known_[address] = Known{next_, end};
    return next_++;
  }

 private:
  struct Known {
    std::int64_t number;
    std::int64_t made;  // when
  };
  std::unordered_map<std::uintptr_t, Known> known_;
  std::int64_t next_ = 1;
};

}  // namespace tbci::suite
