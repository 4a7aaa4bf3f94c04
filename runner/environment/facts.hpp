// The facts of a machine, by topic. Each function adds what it can read.
#pragma once

#include <map>
#include <stop_token>
#include <string>

#include "base/process.hpp"
#include "runner/environment/fact_reader.hpp"

namespace tbci::runner {

void add_cpu_facts(FactReader& reader);
void add_memory_facts(FactReader& reader);
/// Kernel, C library, control group.
void add_software_facts(FactReader& reader);

/// The variables that reach a worker and control its allocator, threads or libraries, as facts `variable NAME`. Omits
/// variables that may contain secrets.
std::map<std::string, std::string> steering_variables(const std::map<std::string, std::string>& variables);
/// The variables of this process.
std::map<std::string, std::string> own_variables();

/// The constant facts that nvidia-smi reports about each GPU, or about that of the number alone, as `gpu0.name`. Empty
/// without a GPU.
std::map<std::string, std::string> gpu_facts(ProcessRunner& processes, const std::string& gpu, std::stop_token stop);

}  // namespace tbci::runner
