// Where the time goes, and hints, as text and as JSON.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "detect/timeline/added_hints.hpp"
#include "pipeline/measure/characterising.hpp"

namespace tbci::daemon {

/// Domains of benchmarks by name.
using Domains = std::map<std::string, std::string>;

/// A row for each case, then the means by domain and of all, for training and for inference. With `before`: a second
/// number behind each, the difference in points. Empty if there are no cases.
std::string character_text(const std::vector<pipeline::Character>& characters, const Domains& domains,
                           const std::vector<pipeline::Character>& before = {});
nlohmann::json json_of(const pipeline::Character& character);

/// A table of hints. `added`: they are what was added to the other build's, and are marked. `least_percent`: which
/// gains were looked for.
std::string hints_text(const std::vector<detect::AddedHint>& hints, bool added, double least_percent = 1);
nlohmann::json json_of(const detect::AddedHint& hint, bool is_new);

}  // namespace tbci::daemon
