// The activations between the layers of image models.
#pragma once

#include <torch/torch.h>

namespace tbci::suite {

enum class Activation { none, relu, relu6, silu, hardswish };

// In place, as the originals do it.
torch::Tensor activate(Activation activation, torch::Tensor x);

}  // namespace tbci::suite
