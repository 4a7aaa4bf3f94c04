#include "suite/blocks/quantization.hpp"

#include <limits>

namespace tbci::suite {
namespace {

// Quantised operators have no C++ functions of their own.
c10::IValue call(const char* name, const char* overload, std::vector<c10::IValue> arguments) {
  c10::Dispatcher::singleton().findSchemaOrThrow(name, overload).callBoxed(arguments);
  return arguments.at(0);
}

torch::Tensor quantized(const torch::Tensor& weight, FakeQuantize& fake_quantize) {
  fake_quantize.forward(weight);  // the weights that are packed are among those observed, as in the original
  const FakeQuantize::Grid grid = fake_quantize.grid();
  return torch::quantize_per_channel(weight, grid.scale, grid.zero_point, 0, torch::kQInt8);
}

c10::List<std::int64_t> both(std::int64_t value) {
  return {value, value};
}

}  // namespace

FakeQuantize::FakeQuantize(Of of, std::int64_t channels)
    : of_weights_(of == Of::weights), lowest_(of_weights_ ? -128 : 0), highest_(127) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  observes_ = register_buffer("observer_enabled", torch::ones({1}, torch::kLong));
  rounds_ = register_buffer("fake_quant_enabled", torch::ones({1}, torch::kLong));
  scale_ = register_buffer("scale", torch::ones({channels}));
  zero_point_ = register_buffer("zero_point", torch::zeros({channels}, torch::kInt));
  minimum_ = register_buffer("min_val", torch::full({channels}, infinity));
  maximum_ = register_buffer("max_val", torch::full({channels}, -infinity));
}

torch::Tensor FakeQuantize::forward(const torch::Tensor& x) {
  constexpr double newest = 0.01;  // its part in the moving averages
  return torch::fused_moving_avg_obs_fake_quant(x, observes_, rounds_, minimum_, maximum_, scale_, zero_point_, newest,
                                                lowest_, highest_, of_weights_ ? 0 : -1, of_weights_, of_weights_);
}

FakeQuantize::Grid FakeQuantize::grid() const {
  constexpr double smallest = std::numeric_limits<float>::epsilon();
  const torch::Tensor low = minimum_.clamp_max(0.0), high = maximum_.clamp_min(0.0);
  const double steps = static_cast<double>(highest_ - lowest_);
  if (of_weights_) {
    const torch::Tensor scale = torch::max(-low, high) / (steps / 2.0);
    return {scale.clamp_min(smallest).to(torch::kDouble), torch::zeros_like(scale, torch::kLong)};
  }
  const torch::Tensor scale = ((high - low) / steps).clamp_min(smallest);
  const torch::Tensor zero_point = (lowest_ - torch::round(low / scale)).clamp(lowest_, highest_);
  return {scale.to(torch::kDouble), zero_point.to(torch::kLong)};
}

QuantizableLayer::QuantizableLayer()
    : fake_quantize_(register_module("output_grid", std::make_shared<FakeQuantize>(FakeQuantize::Of::activations, 1))) {
}

void QuantizableLayer::convert() {
  grid_ = fake_quantize_->grid();
  scale_ = grid_.scale.item<double>();
  zero_point_ = grid_.zero_point.item<std::int64_t>();
  pack();
  converted_ = true;
}

torch::Tensor QuantizableLayer::call_on_grid(const char* name, const char* overload,
                                             std::vector<c10::IValue> arguments) const {
  arguments.emplace_back(scale_);
  arguments.emplace_back(zero_point_);
  return call(name, overload, std::move(arguments)).toTensor();
}

torch::Tensor QuantizableInput::forward(const torch::Tensor& x) {
  return converted() ? torch::quantize_per_tensor(x, grid_.scale, grid_.zero_point, torch::kQUInt8) : round(x);
}

QuantizableConvolution::QuantizableConvolution(const Convolution& c, Activation activation)
    : shape_(c),
      activation_(activation),
      convolution_(register_module("conv", convolution(c))),
      norm_(register_module("bn", batch_norm(c.out))),
      weights_(register_module("weight_grid", std::make_shared<FakeQuantize>(FakeQuantize::Of::weights, c.out))) {}

torch::Tensor QuantizableConvolution::forward(const torch::Tensor& x) {
  const bool relu = activation_ == Activation::relu;
  torch::Tensor y = converted()
                        ? call_on_grid(relu ? "quantized::conv2d_relu" : "quantized::conv2d", "new", {x, packed_})
                        : round(in_floats(x));
  // A clamped result keeps the grid of the convolution's.
  return activation_ == Activation::relu6 ? round(activate(activation_, y)) : y;
}

torch::Tensor QuantizableConvolution::in_floats(const torch::Tensor& x) {
  const torch::Tensor deviation = torch::sqrt(norm_->running_var + norm_->options.eps());
  const torch::Tensor scale = norm_->weight / deviation;
  const torch::Tensor weight = weights_->forward(convolution_->weight * scale.reshape({-1, 1, 1, 1}));
  const torch::Tensor bias = torch::zeros({shape_.out}, weight.options());
  const torch::Tensor scaled =
      torch::conv2d(x, weight, bias, shape_.stride, shape_.kernel / 2, /*dilation=*/1, shape_.groups);
  const torch::Tensor y = norm_->forward(scaled / scale.reshape({1, -1, 1, 1}));
  return activation_ == Activation::relu ? torch::relu(y) : y;
}

void QuantizableConvolution::pack() {
  const torch::Tensor scale = norm_->weight * torch::rsqrt(norm_->running_var + norm_->options.eps());
  const torch::Tensor weight = convolution_->weight * scale.reshape({-1, 1, 1, 1});
  const torch::Tensor bias = norm_->bias - norm_->running_mean * scale;
  packed_ =
      call("quantized::conv2d_prepack", "",
           {quantized(weight, *weights_), bias, both(shape_.stride), both(shape_.kernel / 2), both(1), shape_.groups});
}

QuantizableLinear::QuantizableLinear(std::int64_t in, std::int64_t out)
    : linear_(register_module("linear", torch::nn::Linear(in, out))),
      weights_(register_module("weight_grid", std::make_shared<FakeQuantize>(FakeQuantize::Of::weights, out))) {}

torch::Tensor QuantizableLinear::forward(const torch::Tensor& x) {
  if (converted()) return call_on_grid("quantized::linear", "", {x, packed_});
  return round(torch::linear(x, weights_->forward(linear_->weight), linear_->bias));
}

void QuantizableLinear::pack() {
  packed_ = call("quantized::linear_prepack", "", {quantized(linear_->weight, *weights_), linear_->bias});
}

torch::Tensor QuantizableAdd::forward(const torch::Tensor& a, const torch::Tensor& b) {
  if (!converted()) return round(relu_ ? (a + b).relu_() : a + b);
  // The original reads the grid of a sum from tensors, each time.
  return call(relu_ ? "quantized::add_relu" : "quantized::add", "",
              {a, b, grid_.scale.item<double>(), grid_.zero_point.item<std::int64_t>()})
      .toTensor();
}

void convert(torch::nn::Module& network) {
  if (at::globalContext().qEngine() == at::QEngine::NoQEngine) {
    throw Unsupported("this LibTorch has no engine for quantised operators (x86, FBGEMM, oneDNN or QNNPACK)");
  }
  const torch::NoGradGuard no_gradients;
  for (const auto& module : network.modules()) {
    if (auto* layer = dynamic_cast<QuantizableLayer*>(module.get())) layer->convert();
  }
}

}  // namespace tbci::suite
