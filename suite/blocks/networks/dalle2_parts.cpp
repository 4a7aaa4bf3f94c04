#include "suite/blocks/networks/dalle2_parts.hpp"
#include "suite/blocks/linear.hpp"

#include <cmath>
#include <limits>

namespace tbci::suite::dalle2 {

namespace nn = torch::nn;

namespace {

constexpr double pi = 3.14159265358979323846;

// The schedule's value at each sample's time, to be multiplied with `like`.
Tensor at_times(const Tensor& values, const Tensor& times, const Tensor& like) {
  std::vector<std::int64_t> shape(static_cast<std::size_t>(like.dim()), 1);
  shape[0] = times.size(0);
  return values.gather(-1, times).reshape(shape);
}

Tensor betas(const Schedule::Kind kind, const std::int64_t steps) {
  const auto count = static_cast<double>(steps);
  if (kind == Schedule::Kind::linear) return torch::linspace(0.1 / count, 20.0 / count, steps, torch::kDouble);
  const Tensor place = torch::linspace(0, count, steps + 1, torch::kDouble) / count;
  Tensor kept = torch::cos((place + 0.008) / 1.008 * pi * 0.5).pow(2);
  kept = kept / kept[0];
  return (1 - kept.slice(0, 1) / kept.slice(0, 0, steps)).clamp(0, 0.999);
}

}  // namespace

GainNorm::GainNorm(const std::int64_t width, const bool stable)
    : stable_(stable), gain_(register_parameter("g", torch::ones({width}))) {}

Tensor GainNorm::forward(Tensor x) {
  if (stable_) x = x / x.amax(-1, true).detach();
  const Tensor variance = torch::var(x, at::IntArrayRef{-1}, /*unbiased=*/false, /*keepdim=*/true);
  return (x - x.mean(-1, true)) * (variance + 1e-5).rsqrt() * gain_;
}

OneLinear linear(const std::int64_t in, const std::int64_t out, const bool bias) {
  return OneLinear(nn::LinearOptions(in, out).bias(bias));
}

Tensor unit(const Tensor& x) {
  return x / x.norm(2, -1, true).clamp_min(1e-12).expand_as(x);
}

Rotation::Rotation(const std::int64_t width) {
  const Tensor place = torch::arange(0, width, 2).to(torch::kFloat) / width;
  frequencies_ = register_parameter("freqs", 1.0 / torch::pow(10000.0, place), /*requires_grad=*/false);
}

Tensor Rotation::forward(const Tensor& x) const {
  const std::int64_t width = 2 * frequencies_.size(0);
  const Tensor places = torch::arange(x.size(-2), x.options());
  const Tensor angles = (places.unsqueeze(1) * frequencies_).repeat_interleave(2, -1);
  const Tensor turned = x.slice(-1, 0, width);
  const std::vector<Tensor> pairs = turned.unflatten(-1, {width / 2, 2}).unbind(-1);
  const Tensor across = torch::stack({-pairs[1], pairs[0]}, -1).flatten(-2);
  return torch::cat({turned * angles.cos() + across * angles.sin(), x.slice(-1, width)}, -1);
}

SelfAttention::SelfAttention(const SelfAttentionShape& shape)
    : shape_(shape), scale_(shape.cosine ? 16.0 : std::pow(static_cast<double>(shape.head_width), -0.5)) {
  const std::int64_t inner = shape.heads * shape.head_width;
  always_ = register_parameter("null_kv", torch::randn({2, shape.head_width}));
  norm_ = register_module("norm", std::make_shared<GainNorm>(shape.width));
  query_ = register_module("to_q", linear(shape.width, inner, false));
  key_value_ = register_module("to_kv", linear(shape.width, 2 * shape.head_width, false));
  out_ = register_module("to_out", linear(inner, shape.width, false));
  norm_out_ = register_module("norm_out", std::make_shared<GainNorm>(shape.width));
}

Tensor SelfAttention::forward(const Tensor& input, const Tensor& bias, const Rotation* rotation) {
  const Tensor x = norm_->forward(input);
  const std::int64_t batch = x.size(0);
  Tensor query = query_->forward(x).unflatten(-1, {shape_.heads, shape_.head_width}).transpose(1, 2) * scale_;
  const std::vector<Tensor> both = key_value_->forward(x).chunk(2, -1);
  Tensor key = both[0];
  if (rotation != nullptr) {
    query = rotation->forward(query);
    key = rotation->forward(key);
  }
  const auto with_first = [&](const std::int64_t which, const Tensor& others) {
    return torch::cat({always_[which].view({1, 1, -1}).expand({batch, 1, -1}), others}, 1);
  };
  key = with_first(0, key);
  const Tensor value = with_first(1, both[1]);
  if (shape_.cosine) {
    query = unit(query);
    key = unit(key);
  }
  Tensor scores = torch::einsum("bhid,bjd->bhij", {query * std::sqrt(scale_), key * std::sqrt(scale_)});
  if (bias.defined()) scores = scores + bias;
  if (shape_.causal) {
    const std::int64_t rows = scores.size(-2), columns = scores.size(-1);
    const Tensor later = torch::ones({rows, columns}, scores.options().dtype(torch::kBool)).triu(columns - rows + 1);
    scores = scores.masked_fill(later, -std::numeric_limits<float>::max());
  }
  const Tensor mixed = torch::einsum("bhij,bjd->bhid", {scores.softmax(-1), value});
  return norm_out_->forward(out_->forward(mixed.transpose(1, 2).flatten(2)));
}

Tensor time_embedding(const Tensor& times, const std::int64_t width) {
  const std::int64_t half = width / 2;
  const double step = std::log(10000.0) / static_cast<double>(half - 1);
  const Tensor frequencies = torch::exp(torch::arange(half, times.options()) * -step);
  const Tensor angles = times.unsqueeze(1) * frequencies.unsqueeze(0);
  return torch::cat({angles.sin(), angles.cos()}, -1);
}

Tensor keep_mask(const std::int64_t batch, const double probability, const torch::Device& device) {
  const auto options = torch::TensorOptions().device(device);
  if (probability >= 1.0) return torch::ones({batch}, options.dtype(torch::kBool));
  return torch::zeros({batch}, options).uniform_(0, 1) < probability;
}

Schedule::Schedule(const Kind kind, const std::int64_t steps) {
  const auto keep = [this](const char* name, const Tensor& values) {
    return register_buffer(name, values.to(torch::kFloat));
  };
  const Tensor b = betas(kind, steps);
  const Tensor kept = (1 - b).cumprod(0);
  const Tensor kept_before = torch::cat({torch::ones({1}, torch::kDouble), kept.slice(0, 0, steps - 1)});
  betas_ = keep("betas", b);
  keep_start_ = keep("sqrt_alphas_cumprod", kept.sqrt());
  keep_noise_ = keep("sqrt_one_minus_alphas_cumprod", (1 - kept).sqrt());
  start_factor_ = keep("sqrt_recip_alphas_cumprod", (1 / kept).sqrt());
  noise_factor_ = keep("sqrt_recipm1_alphas_cumprod", (1 / kept - 1).sqrt());
  const Tensor variance = b * (1 - kept_before) / (1 - kept);
  log_variance_ = keep("posterior_log_variance_clipped", variance.clamp_min(1e-20).log());
  mean_of_start_ = keep("posterior_mean_coef1", b * kept_before.sqrt() / (1 - kept));
  mean_of_noised_ = keep("posterior_mean_coef2", (1 - kept_before) * (1 - b).sqrt() / (1 - kept));
}

Tensor Schedule::random_times(const std::int64_t batch) const {
  return torch::randint(0, steps(), {batch}, betas_.options().dtype(torch::kLong));
}

Tensor Schedule::noised(const Tensor& start, const Tensor& times, const Tensor& noise) const {
  return at_times(keep_start_, times, start) * start + at_times(keep_noise_, times, start) * noise;
}

Tensor Schedule::start_from_noise(const Tensor& noised, const Tensor& times, const Tensor& noise) const {
  return at_times(start_factor_, times, noised) * noised - at_times(noise_factor_, times, noised) * noise;
}

Schedule::Posterior Schedule::posterior(const Tensor& start, const Tensor& noised, const Tensor& times) const {
  return {at_times(mean_of_start_, times, noised) * start + at_times(mean_of_noised_, times, noised) * noised,
          at_times(log_variance_, times, noised)};
}

Tensor Schedule::largest_log_variance(const Tensor& times, const Tensor& like) const {
  return at_times(torch::log(betas_), times, like);
}

}  // namespace tbci::suite::dalle2
