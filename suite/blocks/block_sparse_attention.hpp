// BigBird's attention (Zaheer et al., 2020) in blocks of words: the first and the last block see and are seen by all,
// every other block sees its neighbours and a few blocks drawn at random.
#pragma once

#include <vector>

#include "suite/benchmark.hpp"
#include "suite/blocks/linear.hpp"

namespace tbci::suite::encoder {

struct BlockSparseShape {
  std::int64_t width;
  std::int64_t heads;
  std::int64_t block;       // words in a block
  std::int64_t random;      // random blocks that a block sees
  std::int64_t drawn_from;  // the random blocks come from the first `drawn_from` blocks
};

// For each block but the first and the last: the numbers of its random blocks. This is Hugging Face's plan, in
// which a block may draw the last one, although it sees that one anyway.
std::vector<std::vector<std::int64_t>> draw_blocks(const BlockSparseShape& shape, std::int64_t blocks,
                                                   std::uint32_t seed_of_head);

class BlockSparseAttention : public torch::nn::Module {
 public:
  // 1 where a word is real and 0 where it fills up the last block.
  struct Context {
    torch::Tensor blocked;  // [batch, blocks, block]
    torch::Tensor band;     // [batch, 1, blocks - 4, block, 3 * block]: of the neighbours of the middle blocks
    torch::Tensor from;     // [batch, 1, length, 1]
    torch::Tensor to;       // [batch, 1, 1, length]
  };
  static Context masks(const torch::Tensor& real, std::int64_t block);  // of [batch, length]

  BlockSparseAttention(const BlockSparseShape& shape, std::uint32_t layer);
  torch::Tensor forward(const torch::Tensor& x, const Context& context);

 private:
  // Heads of a batch, whole and in blocks, and what was gathered at random.
  struct Side {
    torch::Tensor whole;     // [batch, heads, length, width of a head]
    torch::Tensor blocked;   // [batch, heads, blocks, block, width of a head]
    torch::Tensor gathered;  // [batch, heads, blocks - 2, random * block, width of a head]
  };
  struct Part {
    torch::Tensor weights;
    torch::Tensor mixed;  // [batch, heads, blocks of this part, block, width of a head]
  };
  struct Edge {
    std::int64_t query;
    std::vector<std::int64_t> keys;
    std::int64_t random;
    std::int64_t leading;  // of the keys that lie at the beginning
  };
  struct Parts {
    Part first, second, middle, second_last, last;
  };

  torch::Tensor drawn(std::int64_t batch, std::int64_t blocks, const torch::Device& device);
  torch::Tensor random_mask(const Context& context, const torch::Tensor& chosen) const;
  Side side(OneLinear& projection, const torch::Tensor& x, const torch::Tensor& chosen) const;
  Part global(const torch::Tensor& query, const Side& key, const Side& value, const Context& context) const;
  Part edge(const Edge& edge, const torch::Tensor& query, const Side& key, const Side& value, const Context& context,
            const torch::Tensor& random) const;
  Part middle(const torch::Tensor& query, const Side& key, const Side& value, const Context& context,
              const torch::Tensor& random) const;
  torch::Tensor lay_out(const Parts& parts, const torch::Tensor& chosen) const;

  BlockSparseShape shape_;
  std::uint32_t layer_;
  torch::Tensor kept_;  // of Variant::kept_tables: what `drawn` returned for this batch
  OneLinear query_{nullptr}, key_{nullptr}, value_{nullptr};
};

}  // namespace tbci::suite::encoder
