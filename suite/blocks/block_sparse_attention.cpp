#include "suite/blocks/block_sparse_attention.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "suite/blocks/dot_product_attention.hpp"
#include "suite/blocks/transformer_encoder.hpp"
#include "suite/variants.hpp"

namespace tbci::suite::encoder {

namespace nn = torch::nn;

namespace {

constexpr double penalty = -10000.0;  // of a word that is not there

// The three neighbours of each middle block, side by side.
torch::Tensor neighbours(const torch::Tensor& blocked, std::int64_t dim_of_blocks) {
  const std::int64_t blocks = blocked.size(dim_of_blocks);
  Tensors shifted;
  for (std::int64_t i = 1; i <= 3; ++i) shifted.push_back(blocked.slice(dim_of_blocks, i, blocks - 4 + i));
  return torch::cat(shifted, dim_of_blocks + 1);
}

torch::Tensor gather_blocks(const torch::Tensor& blocked, const torch::Tensor& chosen) {
  const torch::Tensor flat = chosen.reshape({chosen.size(0), chosen.size(1), -1});
  return torch::gather(blocked, 2,
                       flat.unsqueeze(-1).unsqueeze(-1).expand({-1, -1, -1, blocked.size(3), blocked.size(4)}));
}

}  // namespace

std::vector<std::vector<std::int64_t>> draw_blocks(const BlockSparseShape& shape, std::int64_t blocks,
                                                   std::uint32_t seed_of_head) {
  std::mt19937 generator(seed_of_head);
  const std::int64_t last = shape.drawn_from / shape.block - 1;
  std::vector<std::vector<std::int64_t>> plan;
  for (std::int64_t i = 1; i + 1 < blocks; ++i) {
    std::vector<std::int64_t> allowed;
    for (std::int64_t other = 1; other <= last; ++other) {
      const bool before = other <= i - 2, after = other >= i + 2 && (i + 1 != last);
      if (before || after) allowed.push_back(other);
    }
    std::shuffle(allowed.begin(), allowed.end(), generator);
    allowed.resize(static_cast<std::size_t>(shape.random));
    plan.push_back(std::move(allowed));
  }
  return plan;
}

BlockSparseAttention::Context BlockSparseAttention::masks(const torch::Tensor& real, std::int64_t block) {
  const std::int64_t batch = real.size(0), length = real.size(1);
  const torch::Tensor blocked = real.view({batch, length / block, block});
  torch::Tensor band = torch::einsum("blq,blk->blqk", {blocked.slice(1, 2, -2), neighbours(blocked, 1)});
  band.unsqueeze_(1);
  return {blocked, band, real.view({batch, 1, length, 1}), real.view({batch, 1, 1, length})};
}

BlockSparseAttention::BlockSparseAttention(const BlockSparseShape& shape, std::uint32_t layer)
    : shape_(shape), layer_(layer) {
  query_ = register_module("query", OneLinear(shape.width, shape.width));
  key_ = register_module("key", OneLinear(shape.width, shape.width));
  value_ = register_module("value", OneLinear(shape.width, shape.width));
}

// [batch, heads, blocks - 2, random]. Drawn in every pass, always the same for a layer; in inference no blocks are
// drawn, and the first takes their place.
torch::Tensor BlockSparseAttention::drawn(std::int64_t batch, std::int64_t blocks, const torch::Device& device) {
  const bool keep = in_force(Variant::kept_tables);
  if (keep) meet_variant();
  if (keep && kept_.defined()) return kept_;
  std::vector<std::int64_t> numbers;
  for (std::int64_t head = 0; is_training() && head < shape_.heads; ++head) {
    for (const auto& row : draw_blocks(shape_, blocks, static_cast<std::uint32_t>(layer_ * 1000 + head))) {
      numbers.insert(numbers.end(), row.begin(), row.end());
    }
  }
  numbers.resize(static_cast<std::size_t>(shape_.heads * (blocks - 2) * shape_.random), 0);
  const torch::Tensor chosen = torch::tensor(numbers, torch::kLong).view({1, shape_.heads, blocks - 2, shape_.random});
  const torch::Tensor table = chosen.to(device).expand({batch, -1, -1, -1}).contiguous();
  if (keep) kept_ = table;
  return table;
}

torch::Tensor BlockSparseAttention::random_mask(const Context& context, const torch::Tensor& chosen) const {
  const torch::Tensor flat = chosen.reshape({chosen.size(0), -1}).unsqueeze(-1).expand({-1, -1, shape_.block});
  const torch::Tensor keys = torch::gather(context.blocked, 1, flat);
  return torch::einsum("blq,bhlk->bhlqk", {context.blocked.slice(1, 1, -1),
                                           keys.view({chosen.size(0), shape_.heads, chosen.size(2), -1})});
}

BlockSparseAttention::Side BlockSparseAttention::side(OneLinear& projection, const torch::Tensor& x,
                                                      const torch::Tensor& chosen) const {
  const torch::Tensor whole = split_heads(projection->forward(x), shape_.heads);
  const std::int64_t batch = x.size(0), blocks = x.size(1) / shape_.block;
  const torch::Tensor blocked = whole.view({batch, shape_.heads, blocks, shape_.block, -1});
  const torch::Tensor gathered = gather_blocks(blocked, chosen);
  return {whole, blocked, gathered.view({batch, shape_.heads, blocks - 2, shape_.random * shape_.block, -1})};
}

// The first or the last block sees every word.
BlockSparseAttention::Part BlockSparseAttention::global(const torch::Tensor& query, const Side& key, const Side& value,
                                                        const Context& context) const {
  const double scale = 1.0 / std::sqrt(static_cast<double>(query.size(-1)));
  torch::Tensor scores = torch::matmul(query, key.whole.transpose(-1, -2)) * scale;
  scores += (1.0 - context.to) * penalty;
  const torch::Tensor weights = torch::softmax(scores, -1);
  return {weights, torch::matmul(weights, value.whole).unsqueeze_(2)};
}

// The second block, or the last but one: one of its neighbours is a global block.
BlockSparseAttention::Part BlockSparseAttention::edge(const Edge& edge, const torch::Tensor& query, const Side& key,
                                                      const Side& value, const Context& context,
                                                      const torch::Tensor& random) const {
  const auto seen = [&](const Side& from) {
    Tensors blocks;
    for (const std::int64_t number : edge.keys) blocks.push_back(from.blocked.select(2, number));
    blocks.push_back(from.gathered.select(2, edge.random));
    return torch::cat(blocks, 2);
  };
  const torch::Tensor& to = context.to;
  const std::int64_t block = shape_.block, length = to.size(3);
  const torch::Tensor there =
      torch::cat({to.slice(3, 0, edge.leading * block), to.slice(3, length - (4 - edge.leading) * block),
                  to.new_ones({to.size(0), 1, 1, shape_.random * block})},
                 3);
  const torch::Tensor there_at_random =
      torch::cat({random.new_ones({random.size(0), shape_.heads, block, 4 * block}), random.select(2, edge.random)}, 3);
  const double scale = 1.0 / std::sqrt(static_cast<double>(query.size(-1)));
  torch::Tensor scores = torch::matmul(query.select(2, edge.query), seen(key).transpose(-1, -2)) * scale;
  scores += (1.0 - torch::minimum(there, there_at_random)) * penalty;
  const torch::Tensor weights = torch::softmax(scores, -1);
  return {weights, torch::matmul(weights, seen(value)).unsqueeze_(2)};
}

BlockSparseAttention::Part BlockSparseAttention::middle(const torch::Tensor& query, const Side& key, const Side& value,
                                                        const Context& context, const torch::Tensor& random) const {
  const torch::Tensor near_keys = neighbours(key.blocked, 2), near_values = neighbours(value.blocked, 2);
  const torch::Tensor queries = query.slice(2, 2, -2);
  const double scale = 1.0 / std::sqrt(static_cast<double>(query.size(-1)));
  const std::int64_t block = shape_.block;
  const auto to_global = [&](const std::int64_t number) {
    return torch::einsum("bhlqd,bhkd->bhlqk", {queries, key.blocked.select(2, number)}) * scale;
  };
  torch::Tensor near = torch::matmul(queries, near_keys.transpose(-1, -2)) * scale;
  torch::Tensor far = torch::matmul(queries, key.gathered.slice(2, 1, -1).transpose(-1, -2)) * scale;
  torch::Tensor first = to_global(0), last = to_global(-1);
  near += (1.0 - context.band) * penalty;
  first += (1.0 - context.to.slice(3, 0, block).unsqueeze(3)) * penalty;
  last += (1.0 - context.to.slice(3, -block).unsqueeze(3)) * penalty;
  far += (1.0 - random.slice(2, 1, -1)) * penalty;
  const torch::Tensor weights = torch::softmax(torch::cat({first, near, far, last}, -1), -1);

  const auto from_global = [&](const torch::Tensor& weight, const std::int64_t number) {
    return torch::einsum("bhlqk,bhkd->bhlqd", {weight, value.blocked.select(2, number)});
  };
  torch::Tensor mixed = torch::matmul(weights.slice(4, block, 4 * block), near_values);
  mixed += torch::matmul(weights.slice(4, 4 * block, -block), value.gathered.slice(2, 1, -1));
  mixed += from_global(weights.slice(4, 0, block), 0);
  mixed += from_global(weights.slice(4, -block), -1);
  return {weights, mixed};
}

// The weights as one matrix, [batch, heads, length, length], with zeros for what no block sees. Nobody reads it here,
// but the original makes it in every layer.
torch::Tensor BlockSparseAttention::lay_out(const Parts& parts, const torch::Tensor& chosen) const {
  const std::int64_t block = shape_.block, random = shape_.random, heads = shape_.heads;
  const torch::Tensor &first = parts.first.weights, &second = parts.second.weights, &middle = parts.middle.weights;
  const torch::Tensor &second_last = parts.second_last.weights, &last = parts.last.weights;
  const std::int64_t batch = first.size(0), length = first.size(3), blocks = length / block;
  const torch::Tensor all = torch::zeros({batch, heads, length, length}, first.options());
  const auto rows = [&](std::int64_t from, std::int64_t to) { return all.slice(2, from, to); };
  const auto flat = [&](const torch::Tensor& weights) { return weights.reshape({batch, heads, -1, block}); };

  rows(0, block).copy_(first);
  rows(block, 2 * block).slice(3, 0, 3 * block).copy_(second.slice(3, 0, 3 * block));
  rows(block, 2 * block).slice(3, -block).copy_(second.slice(3, 3 * block, 4 * block));
  rows(2 * block, -2 * block).slice(3, 0, block).copy_(flat(middle.slice(4, 0, block)));
  rows(2 * block, -2 * block).slice(3, -block).copy_(flat(middle.slice(4, -block)));
  rows(-2 * block, -block).slice(3, 0, block).copy_(second_last.slice(3, 0, block));
  rows(-2 * block, -block).slice(3, -3 * block).copy_(second_last.slice(3, block, 4 * block));
  rows(length - block, length).copy_(last);

  const torch::Tensor tiles = all.view({batch, heads, blocks, block, blocks, block});
  const auto scatter_edge = [&](std::int64_t row, std::int64_t of_chosen, const torch::Tensor& weights) {
    const torch::Tensor where = chosen.select(2, of_chosen).unsqueeze(-1).expand({-1, -1, -1, block});
    tiles.select(2, row).scatter_(3, where.unsqueeze(2).expand({-1, -1, block, -1, -1}),
                                  weights.slice(3, 4 * block).reshape({batch, heads, block, random, block}));
  };
  scatter_edge(1, 0, second);
  const std::vector<std::int64_t> near{batch, heads, blocks - 4, block, 3, block};
  const auto numbers = torch::TensorOptions().device(all.device()).dtype(torch::kLong);
  const torch::Tensor diagonal = torch::arange(blocks - 4, numbers).unsqueeze(1) + torch::arange(3, numbers);
  tiles.slice(2, 2, -2).slice(4, 1, -1).scatter_(4, diagonal.view({1, 1, blocks - 4, 1, 3, 1}).expand(near),
                                                 middle.slice(4, block, 4 * block).reshape(near));
  const torch::Tensor far = chosen.slice(2, 1, -1).unsqueeze(3).unsqueeze(-1);
  tiles.slice(2, 2, -2).scatter_(
      4, far.expand({-1, -1, -1, block, -1, block}),
      middle.slice(4, 4 * block, -block).reshape({batch, heads, blocks - 4, block, random, block}));
  scatter_edge(-2, -1, second_last);
  return all;
}

torch::Tensor BlockSparseAttention::forward(const torch::Tensor& x, const Context& context) {
  const std::int64_t batch = x.size(0), length = x.size(1), blocks = length / shape_.block;
  const torch::Tensor chosen = drawn(batch, blocks, x.device());
  const torch::Tensor random = random_mask(context, chosen);
  const torch::Tensor query =
      split_heads(query_->forward(x), shape_.heads).view({batch, shape_.heads, blocks, shape_.block, -1});
  const Side key = side(key_, x, chosen), value = side(value_, x, chosen);
  const Edge second{1, {0, 1, 2, -1}, 0, 3}, second_last{-2, {0, -3, -2, -1}, -1, 1};
  const Parts parts{global(query.select(2, 0), key, value, context), edge(second, query, key, value, context, random),
                    middle(query, key, value, context, random), edge(second_last, query, key, value, context, random),
                    global(query.select(2, -1), key, value, context)};
  const torch::Tensor all = torch::cat(
      {parts.first.mixed, parts.second.mixed, parts.middle.mixed, parts.second_last.mixed, parts.last.mixed}, 2);
  const torch::Tensor mixed = all.view({batch, shape_.heads, length, -1}) * context.from;
  lay_out(parts, chosen);
  return merge_heads(mixed);
}

}  // namespace tbci::suite::encoder
