// CLIP: Radford et al., Learning Transferable Visual Models From Natural Language Supervision (2021), as openai/CLIP
// has it with a vision transformer: one network for texts and one for images, into the same space.
#pragma once

#include <memory>

#include <torch/torch.h>

namespace tbci::suite {

struct TransformerShape {
  std::int64_t width;
  std::int64_t heads;
  int layers;
};

struct ClipShape {
  TransformerShape text, vision;
  std::int64_t vocabulary;
  std::int64_t words;  // of a text
  std::int64_t side;   // of an image, in pixels
  std::int64_t patch;
  std::int64_t out;
};

class Clip : public torch::nn::Module {
 public:
  explicit Clip(const ClipShape& shape);

  struct Text {
    torch::Tensor embedding;  // [batch, out]
    torch::Tensor words;      // [batch, words, width]
  };

  // The word with the highest number ends a text; its place represents the whole text.
  Text encode_text(const torch::Tensor& words);
  torch::Tensor encode_image(const torch::Tensor& images);

 private:
  class Transformer;
  class Vision;

  torch::Tensor places_, project_text_;
  std::shared_ptr<Vision> vision_;
  std::shared_ptr<Transformer> text_;
  torch::nn::Embedding words_{nullptr};
  torch::nn::LayerNorm norm_{nullptr};
  torch::Tensor causal_;
};

}  // namespace tbci::suite
