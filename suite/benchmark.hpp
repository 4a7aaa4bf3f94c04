// What the worker knows of a model of the suite: facts for the list, and a factory of a workload that is ready to run.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <torch/torch.h>

#include "suite/configuration.hpp"
#include "suite/evidence.hpp"
#include "suite/model_choices.hpp"

namespace tbci::suite {

using Tensors = std::vector<torch::Tensor>;

// One model with its data, on its device. The worker measures `iterate`, which does the model's own work and nothing
// else. Not for use by several threads at once.
class Workload {
 public:
  Workload() = default;
  virtual ~Workload() = default;
  Workload(const Workload&) = delete;
  Workload& operator=(const Workload&) = delete;

  // Train: forward, loss, backward and optimizer step on the prepared batch. Infer: forward in eval mode.
  // Throws what LibTorch throws.
  virtual void iterate() = 0;

  // Of the last iteration: in training the losses (scalars), in inference the model's outputs.
  virtual Tensors results() const = 0;

  // All parameters that training changes.
  virtual Tensors parameters() const = 0;

  // For the comparison with the original, never during a measurement: the module, with the names of its parameters and
  // buffers, and the inputs of the forward pass. Null and empty for a workload that has none.
  virtual std::shared_ptr<torch::nn::Module> module() const { return nullptr; }
  virtual Tensors inputs() const { return {}; }

  // What it counts of itself: of the iterations since the last restart.
  virtual void restart_evidence() {}
  virtual std::vector<Evidence> evidence() const { return {}; }
};

// Thrown by `Benchmark::make` when this LibTorch or this machine lacks something that the model needs. The message is
// one line that names it.
class Unsupported : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Setup {
  Mode mode;
  Size size;
  std::int64_t batch;
  torch::Device device;
  ChosenValues chosen = {};  // of the benchmark's choices
  int ranks = 0;             // processes that share the work; 0: the benchmark's own number
};

// The one of the two that belongs to the size of this setup.
template <class T>
T by_size(const Setup& setup, T paper, T ci) {
  return setup.size == Size::paper ? paper : ci;
}

struct BatchSizes {
  std::int64_t train;
  std::int64_t infer;

  std::int64_t of(Mode mode) const { return mode == Mode::train ? train : infer; }
};

// Which of the two modes the original has.
struct Modes {
  bool train = true;
  bool infer = true;

  bool has(Mode mode) const { return mode == Mode::train ? train : infer; }
};

// Where a benchmark's name comes from: Table 1 of the TorchBench paper, or a later TorchBench.
enum class Listed { table1, later };

// Set the members by name: Benchmark{.name = "alexnet", ...}.
struct Benchmark {
  std::string name;    // as in TorchBench
  std::string domain;  // as in Table 1: computer vision, nlp, recommendation, reinforcement learning, speech, other
  std::string task;
  std::string source;       // of the original: a package or a repository
  std::int64_t parameters;  // how many, in paper size
  BatchSizes paper_batch;
  BatchSizes ci_batch;
  std::function<std::unique_ptr<Workload>(const Setup&)> make;
  std::string differs = "";  // how it differs from the original in paper size, apart from random weights and data
  Modes modes = {};
  Listed listed = Listed::table1;
  std::vector<ModelChoice> choices = {};
  bool only_eager = false;  // a trace of one iteration would not have what the next one does, such as its batch
  bool learns = false;      // its family has a click model that learns (suite/learning)
  int ranks = 0;            // processes that share the work, where --ranks names no other number; 0: it runs in one

  const BatchSizes& batch(Size size) const { return size == Size::paper ? paper_batch : ci_batch; }
};

}  // namespace tbci::suite
