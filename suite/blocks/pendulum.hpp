// The task of the reinforcement learning model: a pendulum to swing up. Plain arithmetic on the host, as environments
// are.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

namespace tbci::suite {

class Pendulum {
 public:
  using Observation = std::array<float, 3>;  // cosine and sine of the angle (0 is upright), angular velocity

  struct Step {
    Observation observation;
    float reward;
  };

  void reset(double angle, double velocity) {
    angle_ = angle;
    velocity_ = velocity;
  }

  Observation observe() const {
    return {static_cast<float>(std::cos(angle_)), static_cast<float>(std::sin(angle_)), static_cast<float>(velocity_)};
  }

  // `action` from -1 to 1 is the torque in parts of the strongest. A step is a twentieth of a second.
  Step step(double action) {
    constexpr double gravity = 10.0, seconds = 0.05, strongest = 2.0, fastest = 8.0, pi = 3.14159265358979323846;
    const double torque = strongest * std::clamp(action, -1.0, 1.0);
    const double from_upright = std::remainder(angle_, 2.0 * pi);
    const double cost = from_upright * from_upright + 0.1 * velocity_ * velocity_ + 0.001 * torque * torque;
    velocity_ += (1.5 * gravity * std::sin(angle_) + 3.0 * torque) * seconds;  // a rod of mass 1 and length 1
    velocity_ = std::clamp(velocity_, -fastest, fastest);
    angle_ += velocity_ * seconds;
    return {observe(), static_cast<float>(-cost)};
  }

 private:
  double angle_ = 0.0;
  double velocity_ = 0.0;
};

}  // namespace tbci::suite
