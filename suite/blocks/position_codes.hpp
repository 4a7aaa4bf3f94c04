// The places of words as waves, as Vaswani et al. have them in Attention Is All You Need (2017).
#pragma once

#include <cstdint>

#include <torch/torch.h>

namespace tbci::suite {

struct PositionCodes {
  std::int64_t places;
  std::int64_t width;  // channels of each
};

// [1, places, width]: sines in the even channels, cosines in the odd ones, ever slower.
torch::Tensor position_codes(const PositionCodes& shape);

}  // namespace tbci::suite
