// How a workload's iteration is run: operator by operator, or as code that a compiler of PyTorch made of it. It is
// applied to any workload from outside, as a precision is; no model has code for it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <c10/core/Device.h>

#include "suite/configuration.hpp"

namespace tbci::suite {

class Workload;

// `eager`: as the model is written. `channels-last`: eager, with images and the weights of convolutions in that order.
// `jit`: the iteration, traced, runs in TorchScript's executor; in training with the backward pass and the optimizer's
// step. `jit-frozen`: its weights are constants, and torch::jit::optimize_for_inference has changed the graph.
// `onednn-graph`: frozen, and oneDNN's graph compiler fuses parts of it. `aoti`: a package that AOTInductor made of the
// traced iteration.
enum class Backend { eager, jit, jit_frozen, onednn_graph, channels_last, aoti };

struct NamedBackend {
  Backend backend;
  std::string_view name;
  bool trains;  // whether it runs training, too
};

inline constexpr NamedBackend all_backends[] = {
    {Backend::eager, "eager", true},
    {Backend::jit, "jit", true},
    {Backend::jit_frozen, "jit-frozen", false},
    {Backend::onednn_graph, "onednn-graph", false},
    {Backend::channels_last, "channels-last", true},
    {Backend::aoti, "aoti", false},
};

std::string_view name_of(Backend backend);

// Empty if this LibTorch has the backend for such a configuration, else the reason in one line.
std::string why_no_backend(Backend backend, const Configuration& configuration);

// The names of those that this LibTorch has, for some configuration. What aoti runs has to be made before.
std::vector<std::string_view> available_backends();

struct BackendRequest {
  Backend backend = Backend::eager;
  std::uint64_t seed = 42;
  double tolerance = 1e-3;  // of the results, see agreement.hpp
  std::string package;      // aoti: the file
  c10::Device device{c10::kCPU};
};

// What it took, as evidence beside the measurement.
struct Compiling {
  std::chrono::nanoseconds time{};  // tracing, and what makes code of the trace; without the package of aoti
  double difference = 0;            // the largest between eager's tensors and the backend's, see agreement.hpp
};

struct BackendWorkload {
  std::unique_ptr<Workload> workload;
  std::optional<Compiling> compiling;  // nothing for eager
};

// A workload with the same work as `make` makes, run by the backend. What eager computes and what the backend computes
// from the same state, with the same random numbers, was compared: outputs, or losses and gradients. Throws Unsupported
// if the backend cannot run it or computes something else, with the reason; else what the workload throws.
BackendWorkload in_backend(const std::function<std::unique_ptr<Workload>()>& make, Mode mode,
                           const BackendRequest& request);

// Writes the traced iteration, as aoti's package is made of it: a TorchScript module, and beside it
// `FILE.inputs`, the list of its inputs. Throws as in_backend.
void write_trace(Workload& workload, const std::string& file, std::uint64_t seed);

}  // namespace tbci::suite
