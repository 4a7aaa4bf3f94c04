// The difference of two environments as text.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "storage/model/measurement.hpp"

namespace tbci::runner {

/// One fact that differs. An empty value is unknown.
struct FactChange {
  std::string name, before, after;
};
/// The differences between two environments, the most important for measurements first.
std::vector<FactChange> changes_between(const model::Environment& before, const model::Environment& after);

/// The same as a sentence: `the governor is powersave instead of performance; workers had 4 threads instead of 1`.
/// Describes `most` changes and only names the others. Empty if nothing differs.
std::string readable_diff(const model::Environment& before, const model::Environment& after, std::size_t most = 8);

}  // namespace tbci::runner
