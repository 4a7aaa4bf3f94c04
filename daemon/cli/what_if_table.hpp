// What a supposed change of operators would cost each case, as text and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "detect/timeline/what_if.hpp"
#include "storage/model/words.hpp"

namespace tbci::daemon {

struct SupposedCase {
  model::Case measured;
  detect::SupposedTime time;
};

/// A table, the largest change first, of the cases that call what is named; then how many do not, and a line where the
/// named operators only call others, so that a factor changes nothing.
std::string supposed_text(std::vector<SupposedCase> cases, const std::vector<detect::SupposedChange>& changes);
nlohmann::json json_of(const SupposedCase& supposed);

}  // namespace tbci::daemon
