// Longformer's attention (Beltagy et al., 2020): every word sees its neighbours; a few global words see and are seen by
// all. Scores are computed in overlapping chunks and lie in diagonals.
#pragma once

#include "suite/benchmark.hpp"
#include "suite/blocks/linear.hpp"

namespace tbci::suite::encoder {

struct SlidingShape {
  std::int64_t width;
  std::int64_t heads;
  std::int64_t side;  // words seen on each side; lengths are multiples of twice as many
  double dropout = 0.1;
};

class SlidingAttention : public torch::nn::Module {
 public:
  struct Context {
    torch::Tensor mask;    // [batch, length]: negative where padded, 0 for a local word, positive for a global one
    torch::Tensor padded;  // the same as truth values
    torch::Tensor global;
    bool any_global;
  };
  static Context context(const torch::Tensor& mask);

  explicit SlidingAttention(const SlidingShape& shape);
  torch::Tensor forward(const torch::Tensor& x, const Context& context);

 private:
  // Where the global words are: in the batch, and in a list of them for each row, filled up to the longest.
  struct Places {
    std::int64_t most;
    Tensors words;   // row and place
    Tensors filled;  // row and number in the list
    Tensors empty;
  };
  static Places places(const torch::Tensor& global);

  double root_of_width() const;  // of a head
  torch::Tensor window_scores(const torch::Tensor& query, const torch::Tensor& key) const;
  torch::Tensor window_mix(const torch::Tensor& weights, const torch::Tensor& value) const;
  torch::Tensor scores_of_global(const torch::Tensor& query, const torch::Tensor& key, const Places& places) const;
  torch::Tensor mix_with_global(const torch::Tensor& weights, const torch::Tensor& value, const Places& places) const;
  torch::Tensor seen_by_global(const torch::Tensor& x, const Context& context, const Places& places);

  SlidingShape shape_;
  OneLinear query_{nullptr}, key_{nullptr}, value_{nullptr};
  OneLinear query_global_{nullptr}, key_global_{nullptr}, value_global_{nullptr};
};

}  // namespace tbci::suite::encoder
