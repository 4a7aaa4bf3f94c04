#include "suite/blocks/reversible_layers.hpp"

#include <cmath>
#include <limits>

#include "suite/variants.hpp"

namespace tbci::suite::reformer {

namespace nn = torch::nn;

namespace {

constexpr double epsilon = 1e-12;     // of the norms
constexpr double with_itself = -1e5;  // score of a word with itself: only where there is no other

nn::LayerNorm norm(std::int64_t width) {
  return nn::LayerNorm(nn::LayerNormOptions({width}).eps(epsilon));
}

// A seed for the dropout of one function, drawn from the random numbers that the caller has seeded. It is set at once.
std::uint64_t new_seed() {
  const auto seed = torch::randint(std::numeric_limits<std::int64_t>::max(), {1}, torch::kLong).item<std::int64_t>();
  torch::manual_seed(static_cast<std::uint64_t>(seed));
  return static_cast<std::uint64_t>(seed);
}

// Order of the values; equal ones stay in order.
torch::Tensor stable_order(const torch::Tensor& values) {
  const std::int64_t length = values.size(-1);
  const torch::Tensor place = torch::arange(length, values.options()).view({1, 1, -1}).expand(values.sizes());
  return torch::argsort(length * values + place % length, -1, false);
}

torch::Tensor by_places(const torch::Tensor& vectors, const torch::Tensor& places) {
  return torch::gather(vectors, 2, places.unsqueeze(-1).expand({-1, -1, -1, vectors.size(3)}));
}

// Words back in their own order; the gradient takes the way back.
class Unsort : public torch::autograd::Function<Unsort> {
 public:
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& vectors,
                               const torch::Tensor& order, const torch::Tensor& inverse) {
    context->save_for_backward({order});
    return by_places(vectors, inverse);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    return {by_places(gradients[0], context->get_saved_variables()[0]), torch::Tensor(), torch::Tensor()};
  }
};

torch::Tensor normalised(const torch::Tensor& x) {
  return x * torch::rsqrt(torch::mean(torch::pow(x, 2), -1, true) + 1e-6);
}

// By the root of the width of a head: after the patch of the TorchBench paper, or before it (Listing 3).
torch::Tensor by_root(const torch::Tensor& x, std::int64_t width) {
  if (!in_force(Variant::rsqrt_tensor)) return x / std::sqrt(static_cast<double>(width));
  meet_variant();
  return x * torch::rsqrt(torch::tensor(static_cast<double>(width), x.options()));
}

// Softmax by hand, as Reformer needs its logarithm.
torch::Tensor exponentials(const torch::Tensor& scores) {
  return torch::exp(scores - torch::logsumexp(scores, -1, true));
}

}  // namespace

torch::Tensor Attention::split(const torch::Tensor& x) const {
  return x.view({x.size(0), x.size(1), shape_.heads, shape_.head_width}).transpose(2, 1);
}

torch::Tensor Attention::merge(const torch::Tensor& x) const {
  return x.permute({0, 2, 1, 3}).reshape({x.size(0), -1, shape_.heads * shape_.head_width});
}

torch::Tensor Attention::chunks(const torch::Tensor& x) const {
  std::vector<std::int64_t> sizes{x.size(0), x.size(1), -1, shape_.chunk};
  if (x.dim() == 4) sizes.push_back(x.size(3));
  return x.reshape(sizes);
}

// The first chunk's predecessor is the last.
torch::Tensor Attention::with_previous(const torch::Tensor& chunked) {
  return torch::cat({torch::cat({chunked.slice(2, -1), chunked.slice(2, 0, -1)}, 2), chunked}, 3);
}

OneLinear Attention::projection(const std::string& name) {
  return register_module(name,
                         OneLinear(nn::LinearOptions(shape_.width, shape_.heads * shape_.head_width).bias(false)));
}

LocalAttention::LocalAttention(const LayerShape& shape)
    : Attention(shape), query_(projection("query")), key_(projection("key")), value_(projection("value")) {}

torch::Tensor LocalAttention::forward(const torch::Tensor& x, torch::Tensor&) {
  const torch::Tensor query = chunks(split(query_->forward(x)));
  const torch::Tensor scaled = split(key_->forward(x)) / std::sqrt(static_cast<double>(shape_.head_width));
  const torch::Tensor key = with_previous(chunks(scaled));
  const torch::Tensor value = with_previous(chunks(split(value_->forward(x))));
  torch::Tensor weights = exponentials(torch::matmul(query, key.transpose(-1, -2)));
  weights = torch::dropout(weights, shape_.dropout, is_training());
  return merge(torch::matmul(weights, value).flatten(2, 3));
}

HashedAttention::HashedAttention(const LayerShape& shape)
    : Attention(shape), query_key_(projection("query_key")), value_(projection("value")) {
  const std::int64_t half = shape.buckets / 2;  // the other half are their opposites
  directions_ = register_buffer("directions", torch::zeros({shape.heads, shape.head_width, 1, half}));
}

void HashedAttention::draw() {
  directions_.normal_();
}

// The nearest of the directions and their opposites.
torch::Tensor HashedAttention::hash(const torch::Tensor& vectors) const {
  const torch::Tensor along = torch::einsum("bmtd,mdhr->bmhtr", {vectors.detach(), directions_});
  return torch::argmax(torch::cat({along, -along}, -1), -1).flatten(2, 3);
}

torch::Tensor HashedAttention::forward(const torch::Tensor& x, torch::Tensor& buckets) {
  const torch::Tensor query_key = split(query_key_->forward(x)), value = split(value_->forward(x));
  if (!buckets.defined()) buckets = hash(query_key);
  const torch::Tensor order = stable_order(buckets);
  const torch::Tensor place = torch::arange(order.size(-1), order.options()).view({1, 1, -1}).expand(order.sizes());
  const torch::Tensor inverse = torch::empty_like(order).scatter_(-1, order, place);

  const torch::Tensor query = chunks(by_places(query_key, order));
  const torch::Tensor key = with_previous(by_root(normalised(query), shape_.head_width));
  const torch::Tensor values = with_previous(chunks(by_places(value, order)));
  const torch::Tensor number = chunks(order);
  const torch::Tensor others = torch::ne(number.unsqueeze(-1), with_previous(number).unsqueeze(-2));
  const torch::Tensor scores = torch::matmul(query, key.transpose(-1, -2));
  const torch::Tensor weights = exponentials(torch::where(others, scores, scores.new_full({}, with_itself)));
  return merge(Unsort::apply(torch::matmul(weights, values).flatten(2, 3), order, inverse));
}

Layer::Layer(std::shared_ptr<Attention> attention, const LayerShape& shape) : shape_(shape) {
  attention_norm_ = register_module("attention_norm", norm(shape.width));
  attention_ = register_module("attention", std::move(attention));
  const std::int64_t heads = shape.heads * shape.head_width;
  mix_ = register_module("attention_output", OneLinear(nn::LinearOptions(heads, shape.width).bias(false)));
  feed_norm_ = register_module("feed_forward_norm", norm(shape.width));
  widen_ = register_module("dense", OneLinear(shape.width, shape.inner));
  narrow_ = register_module("output", OneLinear(shape.inner, shape.width));
}

torch::Tensor Layer::drop(const torch::Tensor& x) const {
  return torch::dropout(x, shape_.dropout, is_training());
}

torch::Tensor Layer::attend(const torch::Tensor& x) {
  return drop(mix_->forward(attention_->forward(attention_norm_->forward(x), buckets_)));
}

torch::Tensor Layer::feed(const torch::Tensor& x) {
  return drop(narrow_->forward(drop(widen_->forward(feed_norm_->forward(x))).relu()));
}

Streams Layer::forward(const Streams& x) {
  const torch::NoGradGuard no_gradients;
  buckets_.reset();
  // Before the seed: the backward pass does not draw it again, and is to drop the same.
  attention_->draw();
  if (is_training()) attention_seed_ = new_seed();
  const torch::Tensor first = x.first + attend(x.second);
  if (is_training()) feed_seed_ = new_seed();
  return {first, x.second + feed(first)};
}

torch::Tensor Layer::attend_again(const torch::Tensor& x) {
  torch::manual_seed(attention_seed_);
  return attend(x);
}

torch::Tensor Layer::feed_again(const torch::Tensor& x) {
  torch::manual_seed(feed_seed_);
  return feed(x);
}

Layer::Backward Layer::backward(const Backward& after) {
  const torch::AutoGradMode with_gradients(true);
  const torch::Tensor first = after.values.first.detach().requires_grad_();
  const torch::Tensor fed = feed_again(first);
  fed.backward(after.gradients.second);
  const torch::Tensor second = (after.values.second - fed.detach()).requires_grad_();
  const torch::Tensor gradient_first = after.gradients.first + first.grad();

  const torch::Tensor attended = attend_again(second);
  attended.backward(gradient_first);
  return {{first.detach() - attended.detach(), second.detach()},
          {gradient_first, after.gradients.second + second.grad()}};
}

namespace {

class Reversible : public torch::autograd::Function<Reversible> {
 public:
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& x,
                               const Layers* layers) {
    const auto halves = x.chunk(2, -1);
    Streams streams{halves[1], halves[0]};
    for (const auto& layer : *layers) streams = layer->forward(streams);
    context->save_for_backward({streams.first, streams.second});
    context->saved_data["layers"] = reinterpret_cast<std::int64_t>(layers);
    return torch::cat({streams.first, streams.second}, -1);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& outputs) {
    const auto saved = context->get_saved_variables();
    const auto gradients = outputs[0].chunk(2, -1);
    const auto& layers = *reinterpret_cast<const Layers*>(context->saved_data["layers"].toInt());
    Layer::Backward state{{saved[0], saved[1]}, {gradients[0], gradients[1]}};
    for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) state = (*layer)->backward(state);
    return {torch::cat({state.gradients.first, state.gradients.second}, -1), torch::Tensor()};
  }
};

}  // namespace

torch::Tensor run_reversibly(const torch::Tensor& x, const Layers& layers) {
  return Reversible::apply(x, &layers);
}

}  // namespace tbci::suite::reformer
