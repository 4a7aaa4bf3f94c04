// Mixed precision as PyTorch's documentation describes it: autocast covers the forward passes, not the backward ones.
#pragma once

#include <torch/torch.h>

#include <ATen/record_function.h>

#include "suite/configuration.hpp"

namespace tbci::suite {

// A workload's iteration is a forward pass, a backward pass and a step of the optimizer in one call, and which of them
// runs cannot be seen from outside. So autocast is switched on around the whole, and off again inside each function of
// the backward pass. When a backward pass begins, autocast's copies of the weights are dropped as well: a second
// forward pass of the same iteration (of a GAN, say) must see what the optimizer has changed. For one thread.
class Autocast {
 public:
  explicit Autocast(DeviceKind device);
  ~Autocast();
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

  // PyTorch's default lower precision on the device.
  static at::ScalarType type_on(DeviceKind device);

  // While an object lives, forward passes of this thread are cast. Do not nest.
  class On {
   public:
    explicit On(const Autocast& autocast);
    ~On();
    On(const On&) = delete;
    On& operator=(const On&) = delete;

   private:
    c10::DeviceType device_;
  };

 private:
  c10::DeviceType device_;
  at::CallbackHandle backward_;
};

}  // namespace tbci::suite
