#include "suite/blocks/networks/patch_discriminator.hpp"

namespace tbci::suite {

std::shared_ptr<Chain> patch_discriminator(const PatchDiscriminatorShape& shape) {
  const auto [width, padding] = shape;
  auto layers = chain();
  layers->conv({3, width, 4, 2, padding}).leaky_relu(0.2);
  for (const std::int64_t factor : {2, 4, 8}) {
    const std::int64_t out = factor * width, stride = factor < 8 ? 2 : 1;
    layers->conv({out / 2, out, 4, stride, padding}).instance_norm(out).leaky_relu(0.2);
  }
  layers->conv({8 * width, 1, 4, 1, padding});
  return layers;
}

}  // namespace tbci::suite
