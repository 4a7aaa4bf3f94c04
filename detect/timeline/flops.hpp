// How many floating-point operations a call needs, by the shapes of its tensors. Pure; safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "detect/timeline/look.hpp"

namespace tbci::detect {

/// Of products of matrices, convolutions, recurrent layers and scaled dot product attention, and of their backward
/// calls: a multiplication and an addition are two. Nothing (0) for any other operator, or where a shape does not fit.
double flops_of(const Look& look, std::size_t call);

/// Whether there is a formula for the operator.
bool has_flops(std::string_view name);

/// The same of an operator's name and the sizes of its tensors; an undefined one has none.
double flops_of_sizes(std::string_view name, std::span<const std::vector<std::int64_t>> inputs,
                      std::span<const std::vector<std::int64_t>> outputs);

/// Of one iteration: those of the outermost calls that have a formula.
double flops_of_iteration(const Look& look);

}  // namespace tbci::detect
