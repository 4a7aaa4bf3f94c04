// The benchmarks of this worker, and the names of those that it was built without.
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
  const char* (*excuse)();  // null, or the compiler's message if the file does not compile against this LibTorch
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

// In the order of the list: by folder and file of the family. It includes a benchmark whose family does not compile
// against this LibTorch: its `make` throws Unsupported with the reason. It does not include a benchmark that was
// deliberately left out of this worker.
const std::vector<Benchmark>& all_benchmarks();

const Benchmark* find_benchmark(std::string_view name);  // nullptr if no benchmark has that name

// Why no benchmark has that name: the worker lacks its family, or the name is mistyped (with the nearest name).
std::string why_no_benchmark(std::string_view name);

// The existing name that is nearest to a mistyped one.
std::string nearest_benchmark(std::string_view name);

// The family of a benchmark.
std::string family_of(std::string_view name);

}  // namespace tbci::suite
