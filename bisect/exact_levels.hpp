// Numbers that do not vary, such as the size of a file: one reading of a build is exact, and so is each change. Pure;
// safe from any thread.
#pragma once

#include "bisect/posterior.hpp"
#include "storage/model/words.hpp"

namespace tbci::bisect {

/// Whether equal readings of this value mean that it does not vary. Not where it has so few digits (`12.3`, or 1
/// divided by that) that they hide the noise.
bool shows_noise(model::Metric metric, double value, double noise_floor);

/// The posterior without a doubt: every class has readings, and those of a class are equal (asserts). Neighbours whose
/// values differ by at least `least_step` have a step between them. The bounds of a level are the level.
Posterior exact_posterior(const LevelData& data, double least_step, double noise_floor);

}  // namespace tbci::bisect
