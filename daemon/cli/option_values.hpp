// Validators of option values. Their messages complete a sentence: `--port must be a whole number
// from 0 to 65535, not 'http'` (see usage_errors.hpp).
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace CLI {
class Validator;
}

namespace tbci::daemon {

constexpr std::int64_t no_most_whole = std::numeric_limits<std::int64_t>::max();
constexpr double no_most = std::numeric_limits<double>::infinity();

/// In decimal digits.
CLI::Validator whole_number(std::int64_t least, std::int64_t most = no_most_whole);
/// Finite; scientific notation as well.
CLI::Validator real_number(double least, double most = no_most);
CLI::Validator one_of(std::vector<std::string> words);

}  // namespace tbci::daemon
