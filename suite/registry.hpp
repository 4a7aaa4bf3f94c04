// All benchmarks of this worker.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "suite/benchmark.hpp"

namespace tbci::suite {

// In the order of the list: by the folder and the file of its family.
const std::vector<Benchmark>& all_benchmarks();

const Benchmark* find_benchmark(std::string_view name);  // nullptr where there is none of that name

// The name that a mistyped one was most likely meant to be.
std::string nearest_benchmark(std::string_view name);

}  // namespace tbci::suite
