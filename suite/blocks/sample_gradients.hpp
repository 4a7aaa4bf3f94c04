// The two ways to the gradients of single samples: by copies of the parameters, and by hooks.
#pragma once

#include "suite/blocks/private_training.hpp"

namespace tbci::suite {

// As functorch's vmap of grad does it: every parameter is copied for each sample, as blocks/vmap.hpp has it.
SampleGradients gradients_by_vmap(GroupNormResNet& network, const torch::Tensor& images, const torch::Tensor& labels);

// As Opacus does it: hooks keep what goes into each layer and the gradient that comes out, and multiply them by einsum.
SampleGradients gradients_by_hooks(GroupNormResNet& network, const torch::Tensor& images, const torch::Tensor& labels);

}  // namespace tbci::suite
