// Makes a subject in miniature: a git repository whose library replaces kernels of LibTorch.
#pragma once

#include <filesystem>

#include "base/result.hpp"
#include "miniature/options.hpp"
#include "miniature/truth.hpp"

namespace tbci::miniature {

/// The same options give the same hashes, on every machine. Makes `directory`, which must be empty or not exist.
/// Nothing is left behind when the options are wrong.
Result<Truth> generate(const Options& options, const std::filesystem::path& directory);

}  // namespace tbci::miniature
