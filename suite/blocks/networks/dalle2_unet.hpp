// The U-Net of DALL-E 2's decoder, in lucidrains/DALLE2-pytorch: residual blocks get the time as input, and all but
// the outermost ones attend to the conditions.
#pragma once

#include <memory>
#include <vector>

#include "suite/blocks/linear.hpp"
#include "suite/blocks/networks/dalle2_prior.hpp"

namespace tbci::suite::dalle2 {

struct UnetShape {
  std::int64_t width;
  std::vector<std::int64_t> factors;  // of the width, level by level
  std::int64_t condition;             // width of the conditions
  std::int64_t text;                  // width of CLIP's words and embeddings
  std::int64_t words;                 // longest text
  bool first;  // of the cascade: sees text and image embedding, and learns the variance; others see a smaller image
};

struct Conditions {
  Tensor image_embedding, words;
  Tensor smaller_image;  // already of the size of the image; undefined for the first
  double drop_image = 0.0;
  double drop_text = 0.0;
};

class Unet : public torch::nn::Module {
 public:
  explicit Unet(const UnetShape& shape);
  ~Unet() override;

  Tensor forward(const Tensor& noised, const Tensor& times, const Conditions& conditions);

 private:
  class Block;
  struct Down;
  struct Up;
  struct Known;

  void add_conditions();
  void add_levels();
  Known known(const Tensor& times, const Conditions& conditions);
  std::shared_ptr<Block> block(const char* kind, std::int64_t in, std::int64_t out, bool attends);

  UnetShape shape_;
  Tensor no_image_tokens_, no_image_, no_words_;
  std::vector<torch::nn::Conv2d> first_;
  OneLinear time_in_{nullptr}, time_tokens_{nullptr}, time_{nullptr}, image_tokens_{nullptr}, image_{nullptr};
  OneLinear text_{nullptr};
  torch::nn::LayerNorm norm_{nullptr}, middle_norm_{nullptr};
  std::vector<Down> downs_;
  std::vector<Up> ups_;
  std::shared_ptr<Block> middle_in_, middle_out_, last_;
  std::shared_ptr<SelfAttention> middle_;
  torch::nn::Conv2d out_{nullptr};
  int blocks_ = 0;
};

}  // namespace tbci::suite::dalle2
