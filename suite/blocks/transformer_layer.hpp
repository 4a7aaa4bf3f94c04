// The layer of Vaswani et al., Attention Is All You Need (2017), as BART, Whisper and CLIP have it in Hugging Face's
// transformers: attention with four projections, for a decoder a second one to an encoder's output, and a
// feed-forward network, each with a layer norm before or after.
#pragma once

#include <memory>

#include <torch/torch.h>

#include "suite/blocks/linear.hpp"

namespace tbci::suite {

struct LayerShape {
  std::int64_t width;
  std::int64_t inner;
  std::int64_t heads;
  bool quick_gelu = false;  // by a sigmoid
  bool norm_first = false;
  bool looks_at_encoder = false;
  double dropout = 0.0;  // of what each part gives
  bool key_bias = true;
  bool scale_the_query = false;  // before attention instead of in it
};

class ProjectedAttention : public torch::nn::Module {
 public:
  explicit ProjectedAttention(const LayerShape& shape);

  struct View {
    torch::Tensor mask = {};  // added to the scores; undefined: none
    bool causal = false;
  };

  // `x` looks at `at`.
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& at, const View& view);

 private:
  std::int64_t heads_;
  bool scale_the_query_;
  OneLinear key_{nullptr}, value_{nullptr}, query_{nullptr}, output_{nullptr};
};

class TransformerLayer : public torch::nn::Module {
 public:
  explicit TransformerLayer(const LayerShape& shape);

  // `encoded` is what the encoder gave; undefined in a layer that does not look at it.
  torch::Tensor forward(torch::Tensor x, const ProjectedAttention::View& view, const torch::Tensor& encoded = {});

 private:
  template <class Part>
  torch::Tensor with_residual(const torch::Tensor& x, torch::nn::LayerNorm& norm, const Part& part);
  torch::Tensor feed_forward(const torch::Tensor& x);

  LayerShape shape_;
  std::shared_ptr<ProjectedAttention> attention_, encoder_attention_;
  torch::nn::LayerNorm attention_norm_{nullptr}, encoder_attention_norm_{nullptr}, final_norm_{nullptr};
  OneLinear widen_{nullptr}, narrow_{nullptr};
};

}  // namespace tbci::suite
