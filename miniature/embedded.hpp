// The files under templates/ and changes/, built into the program.
#pragma once

#include <span>
#include <string_view>

namespace tbci::miniature {

struct EmbeddedFile {
  std::string_view path;  ///< such as `templates/kernels/checks.hpp`
  std::string_view text;
};

/// All of them, in the order of their paths.
std::span<const EmbeddedFile> embedded_files();

}  // namespace tbci::miniature
