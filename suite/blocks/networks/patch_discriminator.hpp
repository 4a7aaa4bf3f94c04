// The discriminator of Isola et al., Image-to-Image Translation with Conditional Adversarial Networks (2016): a verdict
// for each of many overlapping patches of 70x70 pixels.
#pragma once

#include <memory>

#include "suite/blocks/chain.hpp"

namespace tbci::suite {

struct PatchDiscriminatorShape {
  std::int64_t width;    // channels of the first layer
  std::int64_t padding;  // of each convolution
};

std::shared_ptr<Chain> patch_discriminator(const PatchDiscriminatorShape& shape);

}  // namespace tbci::suite
