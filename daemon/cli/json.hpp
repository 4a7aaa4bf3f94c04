// JSON of answers that only the command line gives.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "pipeline/bisect/reverting.hpp"
#include "pipeline/pipeline.hpp"
#include "storage/model/bisection.hpp"

namespace tbci::daemon {

nlohmann::json json_of(const pipeline::NightResult& result);
/// `{"culprits": [{"commit", "series", "change", "interval"}], "suspects": [[...]], "builds": n, "measurements": n}`
nlohmann::json answers_json(const model::Bisection& bisection);
/// `[{"culprit", "commit", "reason", "findings"}]`
nlohmann::json reverts_json(const std::vector<pipeline::RevertCheck>& checks);
/// Prints it on standard output.
void print_json(const nlohmann::json& json);

}  // namespace tbci::daemon
