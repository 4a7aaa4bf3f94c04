// What a model of the suite is to the worker: facts for the list, and a factory of a workload that is ready to iterate.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <torch/torch.h>

#include "suite/configuration.hpp"

namespace tbci::suite {

using Tensors = std::vector<torch::Tensor>;

// One model with its data, on its device. `iterate` is what is measured; nothing but the model's own work is in it.
// Not for use by several threads at once.
class Workload {
 public:
  Workload() = default;
  virtual ~Workload() = default;
  Workload(const Workload&) = delete;
  Workload& operator=(const Workload&) = delete;

  // Train: forward, loss, backward and optimizer step on the prepared batch. Infer: forward in eval mode.
  // Throws what LibTorch throws.
  virtual void iterate() = 0;

  // What the last iteration left: in training the losses (scalars), in inference the model's outputs.
  virtual Tensors results() const = 0;

  // All parameters that training is to change.
  virtual Tensors parameters() const = 0;

  // For comparing a model with its original, never while it is measured: the module, with the names of its parameters
  // and buffers, and what the forward pass takes. A null module and no inputs where there is no such thing.
  virtual std::shared_ptr<torch::nn::Module> module() const { return nullptr; }
  virtual Tensors inputs() const { return {}; }
};

// Thrown by `Benchmark::make`: this LibTorch or this machine lacks what the model needs. One line that says what.
class Unsupported : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Setup {
  Mode mode;
  Size size;
  std::int64_t batch;
  torch::Device device;
};

struct BatchSizes {
  std::int64_t train;
  std::int64_t infer;

  std::int64_t of(Mode mode) const { return mode == Mode::train ? train : infer; }
};

// Which of the two the original has.
struct Modes {
  bool train = true;
  bool infer = true;

  bool has(Mode mode) const { return mode == Mode::train ? train : infer; }
};

// Where a benchmark's name comes from: Table 1 of the TorchBench paper, or TorchBench as it is since.
enum class Listed { table1, later };

struct Benchmark {
  std::string name;    // as in TorchBench
  std::string domain;  // as in Table 1: computer vision, nlp, recommendation, reinforcement learning, speech, other
  std::string task;
  std::string source;       // where the original comes from
  std::int64_t parameters;  // in paper size
  BatchSizes paper_batch;
  BatchSizes ci_batch;
  std::function<std::unique_ptr<Workload>(const Setup&)> make;
  std::string differs = "";  // from the original in paper size, but for random weights and data; empty: in nothing
  Modes modes = {};
  Listed listed = Listed::table1;

  const BatchSizes& batch(Size size) const { return size == Size::paper ? paper_batch : ci_batch; }
};

}  // namespace tbci::suite
