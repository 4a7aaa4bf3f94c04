// Reformer's layers (Kitaev et al., 2020): attention among neighbours or among words of the same hash, and a reversible
// stack of layers, which keeps no activations for the backward pass but computes them again from its outputs.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "suite/benchmark.hpp"
#include "suite/blocks/linear.hpp"

namespace tbci::suite::reformer {

struct LayerShape {
  std::int64_t width;
  std::int64_t heads;
  std::int64_t head_width;
  std::int64_t inner;    // of the feed-forward layers
  std::int64_t chunk;    // words that attend to each other, and to the chunk before
  std::int64_t buckets;  // of the hash
  double dropout = 0.05;
};

class Attention : public torch::nn::Module {
 public:
  explicit Attention(const LayerShape& shape) : shape_(shape) {}

  virtual void draw() {}  // what is random in the next pass
  // `buckets` is where the words' hashes are kept: made if undefined, read otherwise.
  virtual torch::Tensor forward(const torch::Tensor& x, torch::Tensor& buckets) = 0;

 protected:
  torch::Tensor split(const torch::Tensor& x) const;  // [batch, heads, length, width of a head]
  torch::Tensor merge(const torch::Tensor& x) const;
  torch::Tensor chunks(const torch::Tensor& x) const;  // of the third dimension
  static torch::Tensor with_previous(const torch::Tensor& chunked);
  OneLinear projection(const std::string& name);

  LayerShape shape_;
};

class LocalAttention final : public Attention {
 public:
  explicit LocalAttention(const LayerShape& shape);
  torch::Tensor forward(const torch::Tensor& x, torch::Tensor&) override;

 private:
  OneLinear query_, key_, value_;
};

// Locality-sensitive hashing: words are sorted by a hash of their query, which is their key too, and attend in chunks
// of that order.
class HashedAttention final : public Attention {
 public:
  explicit HashedAttention(const LayerShape& shape);
  void draw() override;
  torch::Tensor forward(const torch::Tensor& x, torch::Tensor& buckets) override;

 private:
  torch::Tensor hash(const torch::Tensor& vectors) const;

  OneLinear query_key_, value_;
  torch::Tensor directions_;  // to project on
};

// Two streams: y1 = x1 + attention(x2), y2 = x2 + feed-forward(y1).
struct Streams {
  torch::Tensor first;
  torch::Tensor second;
};

class Layer : public torch::nn::Module {
 public:
  Layer(std::shared_ptr<Attention> attention, const LayerShape& shape);

  // Without gradients. In training it keeps the seeds of the dropout, and the hashes.
  Streams forward(const Streams& x);

  struct Backward {
    Streams values;  // after the layer, then before it
    Streams gradients;
  };
  // Adds to the parameters' gradients.
  Backward backward(const Backward& after);

  // The two functions as the last forward pass computed them, dropout and hashes included.
  torch::Tensor attend_again(const torch::Tensor& x);
  torch::Tensor feed_again(const torch::Tensor& x);

 private:
  torch::Tensor attend(const torch::Tensor& x);
  torch::Tensor feed(const torch::Tensor& x);
  torch::Tensor drop(const torch::Tensor& x) const;

  LayerShape shape_;
  torch::nn::LayerNorm attention_norm_{nullptr}, feed_norm_{nullptr};
  std::shared_ptr<Attention> attention_;
  OneLinear mix_{nullptr}, widen_{nullptr}, narrow_{nullptr};
  std::uint64_t attention_seed_ = 0, feed_seed_ = 0;
  torch::Tensor buckets_;
};

using Layers = std::vector<std::shared_ptr<Layer>>;

// [batch, length, 2 * width] through all layers.
torch::Tensor run_reversibly(const torch::Tensor& x, const Layers& layers);

}  // namespace tbci::suite::reformer
