// An AOTInductor package of a file (NAME.pt2) as a workload, inference only.
#pragma once

#include <memory>
#include <string>

#include "suite/benchmark.hpp"
#include "suite/exported/archive.hpp"
#include "suite/exported/folder.hpp"
#include "suite/exported/inputs.hpp"

namespace tbci::suite::exported {

// Loads the package for the device that it was compiled for. Throws one line with the reason if it cannot: Unsupported
// if this LibTorch has no AOTInductor, or if the package is for another device. A package is a compiled library:
// loading it runs its code.
std::unique_ptr<Workload> load_package(const ModelFile& model, const Inputs& inputs, const torch::Device& device);

// Facts from the directory of a package, read without running any of its code.
struct PackageFacts {
  bool model = false;             // has data/aotinductor/model/, which is what is loaded
  bool library = false;           // has a compiled library there, and not only sources
  std::string device;             // `cpu`, `cuda`; empty where it does not say
  std::string instructions = {};  // of the CPU that it was compiled for: `AVX2`; empty where it does not say
};

// Those of the instructions that this CPU lacks; empty: none.
std::string missing_instructions(const std::string& instructions);

PackageFacts facts_of(const std::filesystem::path& file, const Archive& archive);

}  // namespace tbci::suite::exported
