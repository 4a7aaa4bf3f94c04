// How the samples of one process are packed into one value of the database. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace tbci::storage {

/// Byte 1 (the number of the format), then for each sample its difference to the one before it (the first: to 0),
/// zigzag-coded so that small negative numbers stay small, as a little-endian base-128 varint. Lossless for any values.
std::string encode_samples(std::span<const std::int64_t> samples);

/// Unpacks samples. An error where the blob has an unknown format, is cut off, or does not hold exactly `count`
/// samples.
Result<std::vector<std::int64_t>> decode_samples(std::string_view blob, std::size_t count);

/// What is stored beside the blob, so that pages and SQL need not unpack it. Quartiles interpolate linearly between the
/// nearest ranks (R's type 7, NumPy's default).
struct Summary {
  double median = 0, q1 = 0, q3 = 0;
};
/// Nothing for no samples.
std::optional<Summary> summarize(std::span<const std::int64_t> samples);

}  // namespace tbci::storage
