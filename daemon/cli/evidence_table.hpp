// What models count of themselves in `tbci run` and `tbci compare`, such as the hits of a cache.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "storage/model/measurement.hpp"

namespace tbci::daemon {

/// Medians over the processes of each case, of the model as a whole; how many parts it counted besides stands below.
/// Empty where no model counted anything.
std::string evidence_of_run(const std::map<model::Case, std::vector<model::Measurement>>& results);

/// Of two builds: both medians and the change, of the model as a whole and of each part whose count changed by over 1%.
struct EvidenceOfCase {
  model::Case measured;
  std::vector<model::Measurement> before, after;
};
std::string evidence_of_builds(const std::vector<EvidenceOfCase>& compared);

/// Of one process, all parts.
nlohmann::json evidence_json(const std::vector<model::Evidence>& evidence);

/// Medians of both builds, all parts.
nlohmann::json evidence_json(const EvidenceOfCase& compared);

}  // namespace tbci::daemon
