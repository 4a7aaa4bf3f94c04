// What a package index says of a package's files beyond what pip prints: dates, sizes, and what was taken back. Pure;
// the texts are hostile.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"

namespace tbci::runner {

struct IndexFile {
  std::string name;                         ///< of the file: `torch-2.13.0-cp311-cp311-manylinux_2_28_x86_64.whl`
  std::optional<std::uint64_t> bytes = {};  ///< JSON alone tells
  std::optional<TimePoint> uploaded = {};
  std::optional<std::string> yanked = {};  ///< why it was taken back; an empty text where nobody said why
  bool operator==(const IndexFile&) const = default;
};

/// The file that an address names, without escapes: its last part. Empty where that could be no name of a wheel.
std::string file_of_address(std::string_view address);

/// The files of a page of the simple repository API: JSON (PEP 691), or HTML (PEP 503), by what the text looks like.
/// Error (transient) where it is neither, as an index says such things while something is wrong with it.
Result<std::vector<IndexFile>> parse_index_page(const std::string& text);

}  // namespace tbci::runner
