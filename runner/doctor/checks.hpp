// The checks of the machine. Each says what it found and how to fix it. All are pure.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runner/doctor.hpp"

namespace tbci::runner {

/// Governor, turbo, simultaneous multithreading, number of CPUs, clock source.
std::vector<Check> check_processor(const MachineFacts& facts, const DoctorSettings& settings);
/// Huge pages, address layout, swap, size.
std::vector<Check> check_memory(const MachineFacts& facts, const DoctorSettings& settings);
/// Load, other processes, the control group's CPU time, time that the hypervisor took.
std::vector<Check> check_neighbours(const MachineFacts& facts);
/// The instruction counter, the libraries that a worker loads.
std::vector<Check> check_instruments(const MachineFacts& facts);
/// The driver, the CUDA that it runs, the worker's half for the GPU, and each GPU.
std::vector<Check> check_gpus(const MachineFacts& facts, const DoctorSettings& settings);
/// Whether Python can install nightlies.
Check check_pip(const MachineFacts& facts, const DoctorSettings& settings);
/// Whether uv or pip unpacks nightlies.
Check check_unpacker(const MachineFacts& facts, const DoctorSettings& settings);

inline Check passed(std::string name, std::string what) {
  return {.name = std::move(name), .health = Health::ok, .what = std::move(what), .remedy = {}};
}
inline Check warning(std::string name, std::string what, std::string remedy) {
  return {.name = std::move(name), .health = Health::warning, .what = std::move(what), .remedy = std::move(remedy)};
}
inline Check problem(std::string name, std::string what, std::string remedy) {
  return {.name = std::move(name), .health = Health::problem, .what = std::move(what), .remedy = std::move(remedy)};
}

/// A fact of the environment; empty if it is not known.
inline std::string fact(const MachineFacts& facts, const std::string& name) {
  const auto found = facts.environment.facts.find(name);
  return found == facts.environment.facts.end() ? std::string() : found->second;
}

}  // namespace tbci::runner
