#include "suite/blocks/sample_gradients.hpp"

#include <unordered_map>

#include "suite/blocks/vmap.hpp"

namespace tbci::suite {
namespace {

namespace nn = torch::nn;

// Something for each parameter of a network.
class ByParameter {
 public:
  torch::Tensor& operator[](const torch::Tensor& parameter) { return of_[parameter.unsafeGetTensorImpl()]; }

  Tensors in_order(const Tensors& parameters) const {
    Tensors all;
    for (const torch::Tensor& parameter : parameters) all.push_back(of_.at(parameter.unsafeGetTensorImpl()));
    return all;
  }

 private:
  std::unordered_map<const c10::TensorImpl*, torch::Tensor> of_;
};

// All convolutions of the network keep the side, apart from their stride.
std::int64_t padding_of(const nn::Conv2dImpl& layer) {
  return layer.weight.size(2) / 2;
}

// Calls the layers with a copy of each parameter for each sample.
class CopiedCalls final : public LayerCalls {
 public:
  CopiedCalls(const Tensors& parameters, std::int64_t samples) {
    for (const torch::Tensor& parameter : parameters) {
      copies_[parameter] = vmap::copies(parameter.detach(), samples).requires_grad_(true);
    }
  }

  Tensors copies(const Tensors& parameters) const { return copies_.in_order(parameters); }

  torch::Tensor convolution(const torch::Tensor& x, nn::Conv2d& layer) override {
    return vmap::convolution(x, copies_[layer->weight], {layer->options.stride()->at(0), padding_of(*layer)});
  }

  torch::Tensor group_norm(const torch::Tensor& x, nn::GroupNorm& layer) override {
    const auto fitting = [](const torch::Tensor& t) { return t.unsqueeze(2).unsqueeze(3); };
    const torch::Tensor normal = vmap::group_norm(x, {layer->options.num_groups(), layer->options.eps()});
    return normal * fitting(copies_[layer->weight]) + fitting(copies_[layer->bias]);
  }

  torch::Tensor linear(const torch::Tensor& x, nn::Linear& layer) override {
    return vmap::linear(x, copies_[layer->weight]) + copies_[layer->bias];
  }

 private:
  ByParameter copies_;
};

// Calls the layers as usual, and computes the gradients of the samples while the loss is differentiated. The loss is a
// mean over the samples, so that the gradients that come are the samples' own divided by their number.
class HookedCalls final : public LayerCalls {
 public:
  Tensors gradients(const Tensors& parameters) const { return gradients_.in_order(parameters); }

  torch::Tensor convolution(const torch::Tensor& x, nn::Conv2d& layer) override {
    torch::Tensor y = layer->forward(x);
    on_gradient(y, [this, input = x.detach(), layer](const torch::Tensor& gradient) {
      gradients_[layer->weight] = of_convolution(input, gradient, *layer);
    });
    return y;
  }

  torch::Tensor group_norm(const torch::Tensor& x, nn::GroupNorm& layer) override {
    torch::Tensor y = layer->forward(x);
    on_gradient(y, [this, input = x.detach(), layer](const torch::Tensor& gradient) {
      const torch::Tensor normal = torch::group_norm(input, layer->options.num_groups(), {}, {}, layer->options.eps());
      gradients_[layer->weight] = torch::einsum("ni...->ni", {normal * gradient});
      gradients_[layer->bias] = torch::einsum("ni...->ni", {gradient});
    });
    return y;
  }

  torch::Tensor linear(const torch::Tensor& x, nn::Linear& layer) override {
    torch::Tensor y = layer->forward(x);
    on_gradient(y, [this, input = x.detach(), layer](const torch::Tensor& gradient) {
      gradients_[layer->weight] = torch::einsum("n...i,n...j->nij", {gradient, input});
      gradients_[layer->bias] = torch::einsum("n...k->nk", {gradient});
    });
    return y;
  }

 private:
  template <class Hook>
  void on_gradient(const torch::Tensor& y, Hook hook) {
    y.register_hook([hook](const torch::Tensor& gradient) {
      const torch::NoGradGuard no_gradients;
      hook(gradient * gradient.size(0));
    });
  }

  // Each sample's product of the patches under the kernel with what came back from their results.
  static torch::Tensor of_convolution(const torch::Tensor& x, const torch::Tensor& gradient,
                                      const nn::Conv2dImpl& layer) {
    const std::int64_t kernel = layer.weight.size(2), stride = layer.options.stride()->at(0);
    const std::int64_t edge = padding_of(layer);
    const torch::Tensor wide = torch::constant_pad_nd(x, {edge, edge, edge, edge}, 0);
    const torch::Tensor patches =
        wide.as_strided({x.size(0), x.size(1), kernel, kernel, gradient.size(2), gradient.size(3)},
                        {wide.stride(0), wide.stride(1), wide.stride(2), wide.stride(3), wide.stride(2) * stride,
                         wide.stride(3) * stride});
    const std::int64_t samples = x.size(0), groups = 1;
    const torch::Tensor product = torch::einsum(
        "noq,npq->nop", {gradient.flatten(2), patches.reshape({samples, x.size(1) * kernel * kernel, -1})});
    const torch::Tensor own_groups = torch::einsum(
        "ngrg...->ngr...", {product.view({samples, groups, -1, groups, x.size(1) / groups, kernel * kernel})});
    std::vector<std::int64_t> shape = layer.weight.sizes().vec();
    shape.insert(shape.begin(), samples);
    return own_groups.contiguous().view(shape);
  }

  ByParameter gradients_;
};

}  // namespace

SampleGradients gradients_by_vmap(GroupNormResNet& network, const torch::Tensor& images, const torch::Tensor& labels) {
  const Tensors parameters = network.parameters();
  CopiedCalls calls(parameters, images.size(0));
  const torch::Tensor log_probabilities = torch::log_softmax(network.forward(images, calls), 1);
  const torch::Tensor losses = -log_probabilities.gather(1, labels.unsqueeze(1)).squeeze(1);
  const Tensors copies = calls.copies(parameters);
  Tensors gradients = torch::autograd::grad({losses}, copies, {torch::ones_like(losses)});
  return {losses.detach().mean(), std::move(gradients)};
}

SampleGradients gradients_by_hooks(GroupNormResNet& network, const torch::Tensor& images, const torch::Tensor& labels) {
  HookedCalls calls;
  torch::Tensor loss = at::cross_entropy_loss(network.forward(images, calls), labels);
  loss.backward();
  return {loss.detach(), calls.gradients(network.parameters())};
}

}  // namespace tbci::suite
