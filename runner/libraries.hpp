// The libraries that a worker loads. Those that come with a build are part of what is measured, all others are part of
// the machine.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runner/library_digests.hpp"
#include "runner/worker_environment.hpp"
#include "storage/model/build.hpp"

namespace tbci::runner {

/// The role of a library, by its file name: `blas`, `openmp`, `onednn`, `cublas`, `cudnn`, `cuda`, `allocator`, `libc`,
/// `libm`, `libstdc++`, `torch`, otherwise `other`.
std::string role_of(const std::filesystem::path& library);

/// Facts of the form `library.blas` = `libopenblas.so.0 3f2a91c0b3d27e11, ...`.
struct LibraryFacts {
  std::map<std::string, std::string> machine;  ///< part of the environment and its fingerprint
  std::map<std::string, std::string> build;    ///< of the build
};

/// The folders whose libraries come with the product: its prefix and the Python environment around it. The base
/// LibTorch of preloaded builds (`torch_base`) belongs to the machine: replacing it changes all builds at once.
std::vector<std::filesystem::path> folders_of(const model::Product& product, const std::filesystem::path& torch_base);

/// Sorts the loaded libraries into machine and build. A library that cannot be read has the digest `unreadable`.
LibraryFacts library_facts(const WorkerEnvironment& loaded, const std::vector<std::filesystem::path>& of_build,
                           LibraryDigests& digests);

/// Two values of a library's fact as a sentence: `OpenBLAS (libopenblas.so.0, 3f2a…) was loaded instead of MKL
/// (libmkl_rt.so.2, 91bc…)`. Either value may be empty.
std::string library_change(std::string_view before, std::string_view after);
/// How the libraries of two builds differ, as a sentence; empty if they do not.
std::string libraries_diff(const std::map<std::string, std::string>& before,
                           const std::map<std::string, std::string>& after);

/// The OpenMP runtimes among the libraries, by file name. Two of them in one process have two independent thread
/// pools.
std::vector<std::string> openmp_runtimes(const std::vector<std::filesystem::path>& libraries);

}  // namespace tbci::runner
