#include "suite/blocks/dlrm_layers.hpp"

#include <cmath>

namespace tbci::suite {

torch::nn::Sequential dlrm_layers(const std::vector<std::int64_t>& sizes, bool alive) {
  torch::nn::Sequential layers;
  for (std::size_t i = 0; i + 1 < sizes.size(); ++i) {
    torch::nn::Linear layer(sizes[i], sizes[i + 1]);
    torch::nn::init::normal_(layer->weight, 0.0, std::sqrt(2.0 / static_cast<double>(sizes[i] + sizes[i + 1])));
    torch::nn::init::zeros_(layer->bias);
    if (alive && i + 2 == sizes.size()) {
      const torch::NoGradGuard no_gradients;
      layer->weight.abs_();
    }
    layers->push_back(layer);
    layers->push_back(torch::nn::ReLU());
  }
  return layers;
}

torch::Tensor dlrm_interactions(const std::vector<torch::Tensor>& features, const torch::Tensor& first,
                                const torch::Tensor& second) {
  const torch::Tensor& x = features.front();
  const torch::Tensor all = torch::cat(features, 1).view({x.size(0), -1, x.size(1)});
  const torch::Tensor products = torch::bmm(all, all.transpose(1, 2));
  const torch::Tensor pairs = products.index({torch::indexing::Slice(), first, second});
  return torch::cat({x, pairs}, 1);
}

}  // namespace tbci::suite
