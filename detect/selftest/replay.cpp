#include "detect/selftest/replay.hpp"

#include <algorithm>
#include <cmath>

#include "base/assert.hpp"

namespace tbci::detect::selftest {

namespace {

std::size_t any_of(std::size_t count, std::mt19937_64& random) {
  return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
}

}  // namespace

ReplaySource::ReplaySource(const Recorded& recorded, std::size_t block, std::uint64_t seed)
    : recorded_(recorded), block_(std::max<std::size_t>(block, 1)), random_(seed) {
  TBCI_ASSERT(!recorded.runs.empty());
  for (const auto& run : recorded.runs) TBCI_ASSERT(!run.empty());
  run_ = &recorded_.runs.front();
}

void ReplaySource::begin_night(double slower) {
  run_ = &recorded_.runs[any_of(recorded_.runs.size(), random_)];
  left_ = 0;
  slower_ = slower;
}

double ReplaySource::process(double effect) {
  if (left_ == 0) {
    at_ = any_of(run_->size(), random_);
    left_ = block_;
  }
  --left_;
  return (*run_)[at_++ % run_->size()] * std::exp(effect + slower_);
}

}  // namespace tbci::detect::selftest
