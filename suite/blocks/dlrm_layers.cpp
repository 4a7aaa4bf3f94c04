#include "suite/blocks/dlrm_layers.hpp"

#include <cmath>

namespace tbci::suite {

torch::nn::Sequential dlrm_layers(const std::vector<std::int64_t>& sizes, AfterLast after_last,
                                  const at::Generator& random) {
  const torch::NoGradGuard no_gradients;
  torch::nn::Sequential layers;
  for (std::size_t i = 0; i + 1 < sizes.size(); ++i) {
    torch::nn::Linear layer(sizes[i], sizes[i + 1]);
    const double deviation = std::sqrt(2.0 / static_cast<double>(sizes[i] + sizes[i + 1]));
    if (random.defined())
      layer->weight.normal_(0.0, deviation, random);
    else
      layer->weight.normal_(0.0, deviation);
    layer->bias.zero_();
    const bool last = i + 2 == sizes.size();
    if (last && after_last == AfterLast::relu_alive) layer->weight.abs_();
    layers->push_back(layer);
    if (!last || after_last != AfterLast::nothing) layers->push_back(torch::nn::ReLU());
  }
  return layers;
}

torch::Tensor dlrm_products(const torch::Tensor& features, const torch::Tensor& first, const torch::Tensor& second) {
  const torch::Tensor products = torch::bmm(features, features.transpose(1, 2));
  return products.index({torch::indexing::Slice(), first, second});
}

torch::Tensor dlrm_interactions(const std::vector<torch::Tensor>& features, const torch::Tensor& first,
                                const torch::Tensor& second) {
  const torch::Tensor& x = features.front();
  const torch::Tensor all = torch::cat(features, 1).view({x.size(0), -1, x.size(1)});
  return torch::cat({x, dlrm_products(all, first, second)}, 1);
}

}  // namespace tbci::suite
