// The facts of a machine, by what they are about. Each adds what can be read to the reader.
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

/// Of these variables, those that reach a worker and steer its allocator, its threads or its libraries, as facts
/// `variable NAME`. Those that hold secrets are no such variables.
std::map<std::string, std::string> steering_variables(const std::map<std::string, std::string>& variables);
/// This process's own.
std::map<std::string, std::string> own_variables();

/// What nvidia-smi says of each GPU and does not change by itself, as `gpu0.name`. Empty where there is none.
std::map<std::string, std::string> gpu_facts(ProcessRunner& processes, std::stop_token stop);

}  // namespace tbci::runner
