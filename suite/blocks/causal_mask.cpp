#include "suite/blocks/causal_mask.hpp"

namespace tbci::suite {

torch::Tensor causal_mask(const torch::Tensor& places, std::int64_t batch) {
  const std::int64_t length = places.size(1);
  const torch::Tensor steps = torch::diff(places, 1, -1, places.slice(1, 0, 1) - 1);
  const torch::Tensor text = (steps != 1).cumsum(-1);

  const auto options = places.options();
  const torch::Tensor to = torch::arange(length, options).view({1, 1, 1, length});
  const torch::Tensor from = torch::arange(length, options).view({1, 1, length, 1});
  const torch::Tensor same_text = text.unsqueeze(1).unsqueeze(-1) == text.unsqueeze(1).unsqueeze(1);
  return ((to <= from) & same_text).expand({batch, 1, length, length});
}

}  // namespace tbci::suite
