// The RECORD of an installed package: its files with their digests (PyPA's "Recording installed projects"). Pure; the
// text is hostile.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace tbci::runner {

struct RecordedFile {
  std::string path;    ///< from the folder of the packages; it may lead anywhere
  std::string digest;  ///< as in the line: `sha256=...`; empty: none
};

/// Error (failed) names the line that is not CSV.
Result<std::vector<RecordedFile>> parse_record(std::string_view text);

/// The digest as 64 hexadecimal digits; nothing for another kind than SHA-256.
std::optional<std::string> sha256_of_record(std::string_view digest);

/// `Nvidia.CuDNN-cu13` and `nvidia_cudnn_cu13` are one name (PEP 503): both give `nvidia-cudnn-cu13`.
std::string normalized_package(std::string_view name);

}  // namespace tbci::runner
