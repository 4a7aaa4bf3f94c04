// The checks of the machine, one function each: what was found, and the command that mends it. All are pure.
#pragma once

#include <vector>

#include "runner/doctor.hpp"

namespace tbci::runner {

/// Governor, turbo, simultaneous multithreading, one CPU, clock source.
std::vector<Check> check_processor(const MachineFacts& facts, const DoctorSettings& settings);
/// Huge pages, address layout, swap, how much there is.
std::vector<Check> check_memory(const MachineFacts& facts, const DoctorSettings& settings);
/// Load, other processes, the control group's CPU time, time that a hypervisor took.
std::vector<Check> check_neighbours(const MachineFacts& facts);
/// The instruction counter, the GPUs, the libraries that a worker loads.
std::vector<Check> check_instruments(const MachineFacts& facts);

}  // namespace tbci::runner
