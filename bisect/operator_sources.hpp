// Which source files an operator is made of, found by the names of its functions in them. Pure; safe from any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "bisect/native_functions.hpp"
#include "bisect/prior.hpp"

namespace tbci::bisect {

/// A file at a commit.
struct SourceText {
  std::string path, text;
};

/// An operator without namespace and overload: `aten.addmm.default` and `aten::addmm` are `addmm`. Empty for what is
/// none: a node of the backward pass, or the time outside of all operators.
std::string operator_base(std::string_view profiled_name);

/// The files that speak of each of `operators` (as a profile names them): those that have one of its functions as a
/// whole word. An operator that `kernels` knows is its functions there and in their `structured_` form; any other is
/// the function of its own name, with or without leading and trailing underscores. Both may be `NAME_stub` and
/// `NAME_kernel` besides, as PyTorch calls what it picks by the CPU's abilities. A word in more than `most_files` tells
/// nothing. Operators for which nothing is found are left out.
OperatorSources sources_of(std::span<const std::string> operators, const Kernels& kernels,
                           std::span<const SourceText> files, std::size_t most_files = 30);

}  // namespace tbci::bisect
