#include "suite/blocks/sliding_attention.hpp"

#include <cmath>
#include <limits>

namespace tbci::suite::encoder {

namespace nn = torch::nn;
using torch::indexing::Slice;

namespace {

constexpr double lowest = std::numeric_limits<float>::lowest();

// [rows, length, width] to [rows, chunks, 2 * side, width]: chunks that overlap by half, without a copy.
torch::Tensor overlapping(const torch::Tensor& x, std::int64_t side) {
  const torch::Tensor chunks = x.view({x.size(0), x.size(1) / (2 * side), 2 * side, x.size(2)});
  std::vector<std::int64_t> sizes = chunks.sizes().vec(), strides = chunks.strides().vec();
  sizes[1] = 2 * sizes[1] - 1;
  strides[1] /= 2;
  return chunks.as_strided(sizes, strides);
}

torch::Tensor in_rows(const torch::Tensor& x) {  // [batch, length, heads, width] to [batch * heads, length, width]
  return x.transpose(1, 2).reshape({x.size(0) * x.size(2), x.size(1), x.size(3)});
}

// Places before the first word or after the last one are outside the window.
void hide_outside(torch::Tensor& scores, std::int64_t side) {
  torch::Tensor before = scores.new_ones({side, side + 1}).tril().flip({0}).unsqueeze(0).unsqueeze(2);
  torch::Tensor after = before.flip({1, 3});
  const auto hide = [](torch::Tensor part, const torch::Tensor& where) {
    part.copy_(torch::full_like(part, -INFINITY).where(where.expand(part.sizes()).to(torch::kBool), part));
  };
  hide(scores.slice(1, 0, side).slice(3, 0, side + 1), before);
  hide(scores.slice(1, -side).slice(3, -(side + 1)), after);
}

// Shifts each row one step further to the right: a window's columns become places in a chunk.
torch::Tensor diagonals(const torch::Tensor& weights) {
  const std::int64_t rows = weights.size(0), chunks = weights.size(1), side = weights.size(2);
  const torch::Tensor flat = torch::constant_pad_nd(weights, {0, side + 1}).view({rows, chunks, -1});
  return flat.slice(2, 0, -side).view({rows, chunks, side, side + weights.size(3)}).slice(3, 0, -1);
}

}  // namespace

SlidingAttention::SlidingAttention(const SlidingShape& shape) : shape_(shape) {
  const auto projection = [&](const char* name) { return register_module(name, OneLinear(shape.width, shape.width)); };
  query_ = projection("query");
  key_ = projection("key");
  value_ = projection("value");
  query_global_ = projection("query_global");
  key_global_ = projection("key_global");
  value_global_ = projection("value_global");
}

SlidingAttention::Context SlidingAttention::context(const torch::Tensor& mask) {
  const torch::Tensor global = mask > 0;
  return {mask, mask < 0, global, global.flatten().any().item<bool>()};
}

double SlidingAttention::root_of_width() const {
  return std::sqrt(static_cast<double>(shape_.width / shape_.heads));
}

// [batch, length, heads, 2 * side + 1]: the middle column is a word's score with itself.
torch::Tensor SlidingAttention::window_scores(const torch::Tensor& query, const torch::Tensor& key) const {
  const std::int64_t batch = query.size(0), length = query.size(1), heads = query.size(2), side = shape_.side;
  const torch::Tensor chunked =
      torch::einsum("bcxd,bcyd->bcxy", {overlapping(in_rows(query), side), overlapping(in_rows(key), side)});
  const torch::Tensor padded = torch::constant_pad_nd(chunked, {0, 0, 0, 1});
  const torch::Tensor skewed = padded.view({padded.size(0), padded.size(1), padded.size(3), padded.size(2)});

  const torch::Tensor all = skewed.new_zeros({batch * heads, length / side, side, 2 * side + 1});
  all.slice(1, 0, -1).slice(3, side).copy_(skewed.slice(2, 0, side).slice(3, 0, side + 1));
  all.select(1, -1).slice(2, side).copy_(skewed.select(1, -1).slice(1, side).slice(2, 0, side + 1));
  all.slice(1, 1).slice(3, 0, side).copy_(skewed.slice(2, -(side + 1), -1).slice(3, side + 1));
  all.select(1, 0)
      .slice(1, 1, side)
      .slice(2, 1, side)
      .copy_(skewed.select(1, 0).slice(1, 0, side - 1).slice(2, 1 - side));
  torch::Tensor scores = all.view({batch, heads, length, 2 * side + 1}).transpose(2, 1);
  hide_outside(scores, side);
  return scores;
}

torch::Tensor SlidingAttention::window_mix(const torch::Tensor& weights, const torch::Tensor& value) const {
  const std::int64_t batch = value.size(0), length = value.size(1), heads = value.size(2), side = shape_.side;
  const torch::Tensor chunked = weights.transpose(1, 2).reshape({batch * heads, length / side, side, 2 * side + 1});
  const torch::Tensor padded = torch::constant_pad_nd(in_rows(value), {0, 0, side, side}, -1);
  const auto strides = padded.strides();
  const torch::Tensor values = padded.as_strided({batch * heads, length / side, 3 * side, value.size(3)},
                                                 {strides[0], side * strides[1], strides[1], strides[2]});
  const torch::Tensor mixed = torch::einsum("bcwd,bcdh->bcwh", {diagonals(chunked), values});
  return mixed.view({batch, heads, length, value.size(3)}).transpose(1, 2);
}

SlidingAttention::Places SlidingAttention::places(const torch::Tensor& global) {
  const torch::Tensor counts = global.to(torch::kLong).sum(1);
  const auto most = counts.max().item<std::int64_t>();
  const torch::Tensor filled = torch::arange(most, counts.options()) < counts.unsqueeze(-1);
  return {most, global.nonzero().unbind(1), filled.nonzero().unbind(1), (filled == 0).nonzero().unbind(1)};
}

// [batch, length, heads, most]
torch::Tensor SlidingAttention::scores_of_global(const torch::Tensor& query, const torch::Tensor& key,
                                                 const Places& places) const {
  torch::Tensor keys = key.new_zeros({key.size(0), places.most, key.size(2), key.size(3)});
  keys.index_put_({places.filled[0], places.filled[1]}, key.index({places.words[0], places.words[1]}));
  torch::Tensor scores = torch::einsum("blhd,bshd->blhs", {query, keys}).transpose(1, 3);
  scores.index_put_({places.empty[0], places.empty[1]}, lowest);
  return scores.transpose(1, 3);
}

torch::Tensor SlidingAttention::mix_with_global(const torch::Tensor& weights, const torch::Tensor& value,
                                                const Places& places) const {
  torch::Tensor values = value.new_zeros({value.size(0), places.most, value.size(2), value.size(3)});
  values.index_put_({places.filled[0], places.filled[1]}, value.index({places.words[0], places.words[1]}));
  const torch::Tensor of_global = weights.narrow(-1, 0, places.most);
  const torch::Tensor mixed =
      torch::matmul(of_global.transpose(1, 2).clone(), values.transpose(1, 2).clone()).transpose(1, 2);
  const torch::Tensor of_window = weights.narrow(-1, places.most, weights.size(-1) - places.most).contiguous();
  return mixed + window_mix(of_window, value);
}

// What the global words get, with projections of their own: [global words, width]. `x` is [length, batch, width].
torch::Tensor SlidingAttention::seen_by_global(const torch::Tensor& x, const Context& context, const Places& places) {
  const std::int64_t batch = x.size(1), rows = batch * shape_.heads;
  torch::Tensor words = x.new_zeros({places.most, batch, shape_.width});
  words.index_put_({places.filled[1], places.filled[0]}, x.index({places.words[1], places.words[0]}));
  const auto heads = [&](const torch::Tensor& projected) {
    return projected.contiguous().view({projected.size(0), rows, -1}).transpose(0, 1);
  };
  const torch::Tensor query = heads(query_global_->forward(words) / root_of_width());
  const torch::Tensor key = heads(key_global_->forward(x)), value = heads(value_global_->forward(x));

  const std::vector<std::int64_t> apart{batch, shape_.heads, places.most, x.size(0)};
  torch::Tensor scores = torch::bmm(query, key.transpose(1, 2)).view(apart).transpose(1, 2);
  scores.index_put_({places.empty[0], places.empty[1]}, lowest);
  scores = scores.transpose(1, 2).masked_fill(context.padded.unsqueeze(1).unsqueeze(1), lowest);
  torch::Tensor weights = torch::softmax(scores.reshape({rows, places.most, x.size(0)}), -1, torch::kFloat);
  weights = torch::dropout(weights, shape_.dropout, is_training());
  const torch::Tensor mixed = torch::bmm(weights, value).view({batch, shape_.heads, places.most, -1});
  return mixed.index({places.filled[0], Slice(), places.filled[1]}).reshape({-1, shape_.width});
}

torch::Tensor SlidingAttention::forward(const torch::Tensor& input, const Context& context) {
  const torch::Tensor x = input.transpose(0, 1);
  const std::int64_t length = x.size(0), batch = x.size(1);
  const auto heads = [&](const torch::Tensor& projected) {
    return projected.view({length, batch, shape_.heads, -1}).transpose(0, 1);
  };
  torch::Tensor scaled = query_->forward(x);
  scaled /= root_of_width();
  const torch::Tensor query = heads(scaled), key = heads(key_->forward(x)), value = heads(value_->forward(x));

  torch::Tensor scores = window_scores(query, key);
  const torch::Tensor hidden = context.mask.ne(0).unsqueeze(-1).unsqueeze(-1);
  const torch::Tensor far_below = hidden.to(query.scalar_type()).masked_fill(hidden, lowest);
  scores += window_scores(far_below.new_ones(far_below.sizes()), far_below);

  Places places;
  if (context.any_global) {
    places = SlidingAttention::places(context.global);
    scores = torch::cat({scores_of_global(query, key, places), scores}, -1);
  }
  torch::Tensor weights = torch::softmax(scores, -1, torch::kFloat);
  weights = weights.masked_fill(context.padded.unsqueeze(-1).unsqueeze(-1), 0.0).to(scores.scalar_type());
  weights = torch::dropout(weights, shape_.dropout, is_training());
  torch::Tensor mixed = context.any_global ? mix_with_global(weights, value, places) : window_mix(weights, value);
  mixed = mixed.transpose(0, 1).reshape({length, batch, shape_.width}).contiguous();
  if (context.any_global) {
    mixed.index_put_({places.words[1], places.words[0]}, seen_by_global(x, context, places));
  }
  return mixed.transpose(0, 1);
}

}  // namespace tbci::suite::encoder
