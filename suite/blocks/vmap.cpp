#include "suite/blocks/vmap.hpp"

namespace tbci::suite::vmap {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

struct Gradients {
  torch::Tensor input, weight;
};

struct Wanted {
  bool input, weight;
};

// ATen's derivative of a convolution without bias.
Gradients convolution_gradients(const torch::Tensor& gradient, const torch::Tensor& x, const torch::Tensor& weight,
                                const Window& window, std::int64_t groups, const Wanted& wanted) {
  const std::vector<std::int64_t> stride(2, window.stride), padding(2, window.padding), one(2, 1), none(2, 0);
  const auto all = at::convolution_backward(gradient, x, weight, {}, stride, padding, one, false, none, groups,
                                            {wanted.input, wanted.weight, false});
  return {std::get<0>(all), std::get<1>(all)};
}

class SharedConvolution : public Function<SharedConvolution> {
 public:
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x, const torch::Tensor& weights,
                               std::int64_t stride, std::int64_t padding) {
    context->save_for_backward({x, weights});
    context->saved_data["stride"] = stride;
    context->saved_data["padding"] = padding;
    return at::conv2d(x, weights.select(0, 0), {}, stride, padding);
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const torch::Tensor& x = saved[0];
    const torch::Tensor& weights = saved[1];
    const Window window{context->saved_data["stride"].toInt(), context->saved_data["padding"].toInt()};
    const std::int64_t groups = weights.size(0);
    torch::Tensor by_x;
    if (context->needs_input_grad(0)) {
      by_x = convolution_gradients(gradients[0], x, weights.select(0, 0), window, 1, {true, false}).input;
    }
    const torch::Tensor for_shape =
        x.new_empty({groups * weights.size(1), weights.size(2), weights.size(3), weights.size(4)});
    const torch::Tensor by_weights =
        convolution_gradients(fold(gradients[0], groups), fold(x, groups), for_shape, window, groups, {false, true})
            .weight.view(weights.sizes());
    return {by_x, by_weights, torch::Tensor(), torch::Tensor()};
  }
};

class SharedLinear : public Function<SharedLinear> {
 public:
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x, const torch::Tensor& weights) {
    context->save_for_backward({x, weights});
    return torch::mm(x, weights.select(0, 0).t());
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const torch::Tensor& x = saved[0];
    const torch::Tensor& weights = saved[1];
    const auto apart = [&weights](const torch::Tensor& t) { return t.reshape({weights.size(0), -1, t.size(1)}); };
    torch::Tensor by_x;
    if (context->needs_input_grad(0)) by_x = torch::mm(gradients[0], weights.select(0, 0));
    return {by_x, torch::bmm(apart(gradients[0]).transpose(1, 2), apart(x))};
  }
};

class Normalise : public Function<Normalise> {
 public:
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x, std::int64_t groups, double eps) {
    const std::int64_t samples = x.size(0), channels = x.size(1);
    const auto result =
        at::native_group_norm(x, {}, {}, samples, channels, x.numel() / (samples * channels), groups, eps);
    const torch::Tensor& normal = std::get<0>(result);
    context->save_for_backward({normal, std::get<2>(result)});
    return normal;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const torch::Tensor scale = saved[1].unsqueeze(2);  // of each sample and group
    const auto by_group = [&scale](const torch::Tensor& t) { return t.reshape({scale.size(0), scale.size(1), -1}); };
    const torch::Tensor normal = by_group(saved[0]);
    const torch::Tensor gradient = by_group(gradients[0]);
    const torch::Tensor by_x = scale * (gradient - gradient.mean(2, true) - normal * (gradient * normal).mean(2, true));
    return {by_x.view(gradients[0].sizes()), torch::Tensor(), torch::Tensor()};
  }
};

}  // namespace

torch::Tensor copies(const torch::Tensor& parameter, std::int64_t count) {
  std::vector<std::int64_t> shape = parameter.sizes().vec();
  shape.insert(shape.begin(), count);
  return parameter.unsqueeze(0).expand(shape);
}

torch::Tensor fold(const torch::Tensor& x, std::int64_t groups) {
  const std::int64_t n = x.size(0) / groups;
  std::vector<std::int64_t> shape = x.sizes().vec();
  shape[0] = n;
  shape[1] *= groups;
  std::vector<std::int64_t> apart = x.sizes().vec();
  apart[0] = n;
  apart.insert(apart.begin(), groups);
  return x.reshape(apart).transpose(0, 1).reshape(shape);
}

torch::Tensor unfold(const torch::Tensor& x, std::int64_t groups) {
  const std::int64_t channels = x.size(1) / groups;
  std::vector<std::int64_t> shape = x.sizes().vec();
  shape[0] *= groups;
  shape[1] = channels;
  std::vector<std::int64_t> apart = x.sizes().vec();
  apart[1] = channels;
  apart.insert(apart.begin() + 1, groups);
  return x.reshape(apart).transpose(0, 1).reshape(shape);
}

torch::Tensor convolution(const torch::Tensor& x, const torch::Tensor& weights, const Window& window) {
  return SharedConvolution::apply(x, weights, window.stride, window.padding);
}

torch::Tensor linear(const torch::Tensor& x, const torch::Tensor& weights) {
  return SharedLinear::apply(x, weights);
}

torch::Tensor group_norm(const torch::Tensor& x, const GroupNorm& norm) {
  return Normalise::apply(x, norm.groups, norm.eps);
}

}  // namespace tbci::suite::vmap
