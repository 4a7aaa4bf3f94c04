// Helps LibTorch's tracer to know tensors again.
#pragma once

#include <vector>

#include <torch/torch.h>

#include <ATen/record_function.h>

namespace tbci::suite {

// A generator of random numbers that an operator was given, and its state then.
struct GeneratorState {
  at::Generator generator;
  torch::Tensor state;
};

// While it lives, on this thread: before an operator runs, a tensor among its inputs that the tracer does not know gets
// the value of a known tensor over the same memory. Autograd saves what the backward pass needs, and hands it out as
// new tensors; the tracer would take each for a constant. What operators give is kept alive until the end, so no memory
// is used twice meanwhile. One at a time on a thread.
class KnownValues {
 public:
  KnownValues();
  ~KnownValues();
  KnownValues(const KnownValues&) = delete;
  KnownValues& operator=(const KnownValues&) = delete;

  // In the order of the operators.
  std::vector<GeneratorState> generators() const;

 private:
  at::CallbackHandle handle_;
};

}  // namespace tbci::suite
