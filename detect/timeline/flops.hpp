// How many floating-point operations a call needs, by the shapes of its tensors. Pure; safe from any thread.
#pragma once

#include <cstdint>

#include "detect/timeline/look.hpp"

namespace tbci::detect {

/// Of products of matrices, convolutions, recurrent layers and scaled dot product attention, and of their backward
/// calls: a multiplication and an addition are two. Nothing (0) for any other operator, or where a shape does not fit.
double flops_of(const Look& look, std::size_t call);

/// Of one iteration: those of the outermost calls that have a formula.
double flops_of_iteration(const Look& look);

}  // namespace tbci::detect
