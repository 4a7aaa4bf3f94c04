// Which sizes of what a benchmark can be scaled over. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "runner/listing.hpp"

namespace tbci::pipeline {

/// `batch` is of every benchmark, `rows` and `width` of those that offer them as choices: times. The others are of
/// those that learn: losses.
inline constexpr const char* all_scales[] = {"batch", "rows", "width", "samples", "parameters", "compute"};
bool is_of_losses(const std::string& over);

/// Errors (usage): fewer than four sizes, a size twice, a batch of more than 1000000.
Status check_scale_sizes(std::vector<std::int64_t> sizes, const std::string& over);

/// The asked sizes; where none are asked for, the default ones, of rows and width all that the benchmark offers. Errors
/// (usage): those of check_scale_sizes, a size that is not offered; a benchmark that cannot be scaled in this way, with
/// those that can.
Result<std::vector<std::int64_t>> sizes_to_scale(const runner::Listing& listing, const std::string& benchmark,
                                                 const std::string& over, const std::vector<std::int64_t>& asked);

}  // namespace tbci::pipeline
