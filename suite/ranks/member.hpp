// A model that several processes train together, each a part of it.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "suite/benchmark.hpp"
#include "suite/ranks/seat.hpp"

namespace tbci::suite::ranks {

// The part of one rank. Its evidence is that rank's, and names no part.
class Member : public Workload {
 public:
  // To the other ranks, which do it at the same time. All that takes long was done before.
  virtual void connect() = 0;
};

using MakeMember = std::function<std::unique_ptr<Member>(const Setup& setup, const Seat& seat)>;

// For `Benchmark::make`. In the process of a command line: starts the other ranks, and returns the whole, which leads
// them and is measured. In those others: returns their part. Throws Unsupported where there are fewer CPUs or samples
// than ranks, or no loopback.
std::unique_ptr<Workload> in_ranks(const Setup& setup, const std::string& benchmark, const MakeMember& make);

// What evidence is on its way between two processes.
std::string written(const std::vector<Evidence>& evidence);
std::vector<Evidence> read_evidence(const std::string& text);

}  // namespace tbci::suite::ranks
