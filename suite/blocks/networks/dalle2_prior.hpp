// The network of DALL-E 2's prior, in lucidrains/DALLE2-pytorch: a causal transformer whose input is a text, a time and
// a noised image embedding, and whose last output word is the image embedding without noise.
#pragma once

#include <memory>
#include <vector>

#include "suite/blocks/linear.hpp"
#include "suite/blocks/networks/dalle2_parts.hpp"

namespace tbci::suite::dalle2 {

struct PriorShape {
  std::int64_t width;
  int layers;
  std::int64_t heads;
  std::int64_t head_width;
  std::int64_t words;  // longest text
};

// Of a text: the whole [batch, width], and its words [batch, words, width], 0 where there is none.
struct TextCondition {
  Tensor embedding, words;
};

// Which words there are [batch, length, 1], and the words, both filled up to this length.
struct Words {
  Tensor present, words;
};
Words filled_up(const Tensor& words, const Tensor& embedded, std::int64_t length);

class Prior : public torch::nn::Module {
 public:
  explicit Prior(const PriorShape& shape);

  // The conditions are left out of a sample with the probability `drop`.
  Tensor forward(const Tensor& noised, const Tensor& times, const TextCondition& text, double drop);

 private:
  class Layer;
  Tensor place_bias(std::int64_t length);

  PriorShape shape_;
  Tensor asked_, no_words_, no_text_, no_image_;
  OneLinear time_in_{nullptr}, time_middle_{nullptr}, time_out_{nullptr}, project_{nullptr};
  torch::nn::Embedding bias_{nullptr};
  std::vector<std::shared_ptr<Layer>> layers_;
  std::shared_ptr<Rotation> rotation_;
  std::shared_ptr<GainNorm> norm_;
};

}  // namespace tbci::suite::dalle2
