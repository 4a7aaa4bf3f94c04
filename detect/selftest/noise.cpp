#include "detect/selftest/noise.hpp"

#include <cmath>

namespace tbci::detect::selftest {

namespace {
constexpr double first_build_ns = 1e7;
}

Noise quiet() {
  Noise noise;
  noise.name = "quiet";
  noise.process = 0.02;
  noise.night = 0.01;
  return noise;
}

Noise noisy() {
  Noise noise;
  noise.name = "noisy";
  noise.process = 0.03;
  noise.night = 0.015;
  noise.slow_share = 0.02;
  noise.slow_least = 0.1;
  noise.slow_most = 0.5;
  noise.bad_share = 0.02;
  noise.bad_least = 0.05;
  noise.bad_most = 0.15;
  noise.shift_share = 0.005;
  noise.shift = 0.05;
  return noise;
}

std::uint64_t stream_seed(std::uint64_t seed, std::uint64_t stream) {
  std::uint64_t z = seed + (stream + 1) * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

void NoisySource::begin_night(double slower) {
  if (uniform_(random_) < noise_.shift_share) machine_ += noise_.shift * gaussian_(random_);
  tonight_ = machine_ + noise_.night * gaussian_(random_) + slower;
  if (uniform_(random_) < noise_.bad_share) tonight_ += std::log1p(between(noise_.bad_least, noise_.bad_most));
}

double NoisySource::process(double effect) {
  double logarithm = effect + tonight_ + noise_.process * gaussian_(random_);
  if (noise_.slow_share > 0 && uniform_(random_) < noise_.slow_share)
    logarithm += std::log1p(between(noise_.slow_least, noise_.slow_most));
  return first_build_ns * std::exp(logarithm);
}

}  // namespace tbci::detect::selftest
