// All benchmarks of this worker, and those that it was built without.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "suite/benchmark.hpp"

namespace tbci::suite {

namespace models {

// One file of models/.
struct Family {
  const char* name;
  std::vector<Benchmark> (*make)();
  const char* (*excuse)();  // null, or what the compiler said where the file does not fit this LibTorch
};

// A line of catalogue.csv.
struct Catalogued {
  const char* family;
  const char* name;
  const char* domain;
  const char* task;
  std::int64_t parameters;
  Modes modes;
  Listed listed;
};

}  // namespace models

// In the order of the list: by the folder and the file of its family. A benchmark whose family does not fit this
// LibTorch is among them: to make it throws Unsupported, with the reason. One that this worker was not to be built with
// is not.
const std::vector<Benchmark>& all_benchmarks();

const Benchmark* find_benchmark(std::string_view name);  // nullptr where there is none of that name

// Why there is no such benchmark: a worker of few families, or a mistyped name (the nearest is told).
std::string why_no_benchmark(std::string_view name);

// The name that a mistyped one was most likely meant to be.
std::string nearest_benchmark(std::string_view name);

// The family that a benchmark is of.
std::string family_of(std::string_view name);

}  // namespace tbci::suite
