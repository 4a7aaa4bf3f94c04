// Steps of LibTorch's optimizers in a few calls. Its own, in C++, make some calls for each parameter; Python's take a
// fused or a foreach form where there is one, which LibTorch's C++ optimizers do not know.
#pragma once

#include <torch/torch.h>

namespace tbci::suite {

// Takes the optimizer's step for all parameters that have a gradient, with the options and the state that it has.
// False, and nothing is done: it is of another class than Adam, AdamW, SGD and RMSprop, or has options that the fused
// forms do not know, or this LibTorch is older than 2.4 and has none on CPUs.
bool fused_step(torch::optim::Optimizer& optimizer);

// The same, where the optimizer's class derives from Adam.
bool fused_step_of_adam(torch::optim::Adam& optimizer);

}  // namespace tbci::suite
