// Lists the benchmarks of a suite for the commands: from the worker of a build, or from the worker's sources.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "pipeline/subject_context.hpp"
#include "runner/protocol.hpp"
#include "storage/model/build.hpp"

namespace tbci::daemon {

/// The build of that name. For an empty name the LibTorch that the subject's libraries are loaded over, else any
/// installed build; nothing if there is none.
Result<std::optional<model::Product>> known_product(pipeline::SubjectContext& context, const std::string& build);
/// The same, with an error (usage) if there is none.
Result<model::Product> product_to_ask(pipeline::SubjectContext& context, const std::string& build);

/// What `catalogue.csv` in the folder of the suite says, in its order. `families`: these alone; none: all. A benchmark
/// that trains has both configurations of training, though a build without CUDA can run only one. Errors: there is no
/// such file (machine), or a line of it is wrong (failed).
Result<std::vector<runner::BenchmarkInfo>> read_catalogue(const std::filesystem::path& suite,
                                                          const std::vector<std::string>& families);

/// The families (`worker_families`) that hold these benchmarks, each once, in the order of the names. Error (usage)
/// where the suite has no benchmark of a name.
Result<std::vector<std::string>> families_of(const std::filesystem::path& suite, const std::vector<std::string>& names);

}  // namespace tbci::daemon
