// A TorchScript module of a file (NAME.pt) as a workload, inference only.
#pragma once

#include <memory>

#include "suite/benchmark.hpp"
#include "suite/exported/folder.hpp"
#include "suite/exported/inputs.hpp"

namespace tbci::suite::exported {

// Loads the module onto the device, in eval mode. Throws one line with the reason if it cannot.
std::unique_ptr<Workload> load_torchscript(const ModelFile& model, const Inputs& inputs, const torch::Device& device);

}  // namespace tbci::suite::exported
