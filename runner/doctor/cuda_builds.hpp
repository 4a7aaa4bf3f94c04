// Which CUDA the LibTorch of a subject is made for, as far as its files or its configuration tell.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "runner/subject.hpp"

namespace tbci::runner {

struct CudaBuild {
  std::string subject;
  std::string version = {};  ///< of CUDA: `13.0`; empty: unknown
  std::string said_by = {};  ///< `2.13.0+cu130`, `its index`
  /// Whether CUPTI came with it, which traces a GPU; nothing: it is not installed yet.
  std::optional<bool> cupti = {};
};

/// `13.0` of `2.13.0+cu130` or `https://download.pytorch.org/whl/nightly/cu130/`; empty where nothing like it is there.
std::string cuda_named_in(std::string_view text);

/// From the nightly that was installed last below `venvs`, else from the subject's LibTorch, label or index. Nothing
/// where it has no CUDA, or nothing says so.
std::optional<CudaBuild> cuda_build_of(const Subject& subject, const std::filesystem::path& venvs);

}  // namespace tbci::runner
