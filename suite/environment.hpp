// What moves the numbers of this process: the libraries that it really loaded, and what they say of themselves.
#pragma once

#include <istream>
#include <string>
#include <vector>

namespace tbci::suite {

struct Environment {
  std::vector<std::string> libraries;  // absolute paths, in order of loading, none twice
  std::string cpu_capability;          // of LibTorch's own kernels: AVX2, AVX512, ...
  std::string parallel_backend;        // OpenMP, or LibTorch's own pool
  std::string openmp, mkl, onednn;     // versions that LibTorch was built with; empty where it has none
  std::string affinity;                // CPUs that the kernel lets this process use: 0-3,7
  int threads = 0;                     // of one operator
};

// The files of /proc/self/maps whose names are those of libraries that calculate, run threads or allocate.
std::vector<std::string> libraries_in(std::istream& maps);

// Text that follows `label` on its line; empty where there is no such line. For at::get_parallel_info().
std::string value_after(const std::string& text, const std::string& label);

// Runs one small matrix product (on the GPU too, where there is one), for some libraries are loaded at their first use,
// then looks. Throws what LibTorch throws.
Environment read_environment();

}  // namespace tbci::suite
