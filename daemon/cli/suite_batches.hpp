// `tbci suite batches`: finds the batch sizes of inference and keeps them in a file.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "pipeline/measure/batch_size_search.hpp"

namespace CLI {
class App;
}

namespace tbci::daemon {

struct Invocation;

/// Adds the subcommand to `suite`.
void add_suite_batches(CLI::App& suite, Invocation& invocation);

/// `own_batches`: the suite's own batch sizes, as far as they are known.
std::string batches_text(const std::vector<pipeline::CaseSearch>& searches,
                         const std::map<std::string, int>& own_batches);
nlohmann::json batches_json(const std::vector<pipeline::CaseSearch>& searches);

}  // namespace tbci::daemon
