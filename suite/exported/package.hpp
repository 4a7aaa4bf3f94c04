// An AOTInductor package of a file (NAME.pt2) as a workload, inference only.
#pragma once

#include <memory>
#include <string>

#include "suite/benchmark.hpp"
#include "suite/exported/archive.hpp"
#include "suite/exported/folder.hpp"
#include "suite/exported/inputs.hpp"

namespace tbci::suite::exported {

// Loads the package for the device that it was compiled for. Throws one line that says why it cannot: Unsupported where
// this LibTorch has no AOTInductor, or where the package is for another device. A package is a compiled library: to
// load it is to run what is in it.
std::unique_ptr<Workload> load_package(const ModelFile& model, const Inputs& inputs, const torch::Device& device);

// What the directory of a package tells without running anything of it.
struct PackageFacts {
  bool model = false;    // has data/aotinductor/model/, which is what is loaded
  bool library = false;  // has a compiled library there, and not only sources
  std::string device;    // `cpu`, `cuda`; empty where it does not say
};

PackageFacts facts_of(const std::filesystem::path& file, const Archive& archive);

}  // namespace tbci::suite::exported
