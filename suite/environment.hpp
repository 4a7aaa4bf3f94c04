// What affects the numbers of this process: the libraries that it actually loaded, and what they report.
#pragma once

#include <istream>
#include <string>
#include <vector>

namespace tbci::suite {

struct Environment {
  std::vector<std::string> libraries;  // absolute paths, in order of loading, each once
  std::string cpu_capability;          // of LibTorch's own kernels: AVX2, AVX512, ...
  std::string parallel_backend;        // OpenMP, or LibTorch's own pool
  std::string openmp, mkl, onednn;     // versions that LibTorch was built with; empty if built without
  std::string affinity;                // CPUs that the kernel lets this process use: 0-3,7
  int threads = 0;                     // within one operator
};

// The files in /proc/self/maps that belong to libraries for arithmetic, threads or memory allocation.
std::vector<std::string> libraries_in(std::istream& maps);

// The text that follows `label` on its line; empty if no line has the label. For at::get_parallel_info().
std::string value_after(const std::string& text, const std::string& label);

// Runs one small matrix product, where asked on the GPU as well, because some libraries load at their first use, then
// reads the facts. Throws what LibTorch throws.
Environment read_environment(bool gpu);

}  // namespace tbci::suite
