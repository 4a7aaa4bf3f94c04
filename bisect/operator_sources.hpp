// Finds the source files of an operator, by the names of its functions.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "bisect/native_functions.hpp"
#include "bisect/prior.hpp"

namespace tbci::bisect {

/// A file at a commit.
struct SourceText {
  std::string path, text;
};

/// The name of an operator without namespace and overload: `aten.addmm.default` and `aten::addmm` give `addmm`. Empty
/// for a name that is not an operator's: a node of the backward pass, or the time outside of all operators. Pure.
std::string operator_base(std::string_view profiled_name);

/// The files that belong to each of `operators` (named as in a profile): those that contain one of its functions as a
/// whole word. The functions of an operator in `kernels` are those listed there, also in their `structured_` form. Any
/// other operator has the function of its own name, with or without leading and trailing underscores. Both may also
/// have `NAME_stub` and `NAME_kernel`, PyTorch's names for functions that it selects by the CPU's features. A word that
/// occurs in more than `most_files` files is ignored. Operators without a file are left out. Pure; safe from any
/// thread.
OperatorSources sources_of(std::span<const std::string> operators, const Kernels& kernels,
                           std::span<const SourceText> files, std::size_t most_files = 30);

/// As sources_of, for a commit of a repository: searches the files that match `compiled` (none: all files), with
/// PyTorch's list of operators where the repository has one. Errors: `usage` for an unknown commit, `failed` for a list
/// of operators that cannot be read.
Result<OperatorSources> operator_sources_at(const std::filesystem::path& repository, const std::string& commit,
                                            const std::vector<std::string>& compiled,
                                            const std::vector<std::string>& operators);

}  // namespace tbci::bisect
