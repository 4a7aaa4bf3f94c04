// sam: Kirillov et al., Segment Anything (2023), with the largest image encoder (ViT-H), in the authors'
// implementation. A point in each image is the prompt, and three masks of the object there are the output, as in
// TorchBench.
#include "suite/blocks/networks/sam_decoder.hpp"
#include "suite/blocks/networks/sam_encoder.hpp"
#include "suite/blocks/standard_workload.hpp"

namespace tbci::suite::models::sam {
namespace {

namespace nn = torch::nn;
using suite::sam::ChannelNorm;
using torch::Tensor;

struct Shape {
  suite::sam::EncoderShape encoder;
  suite::sam::DecoderShape decoder;
  std::int64_t height, width;            // of the image, scaled to the encoder's side
  std::int64_t full_height, full_width;  // of the picture it was
};

// Points, boxes and masks as tokens. The parameters for boxes and masks are there, though a point is asked for.
class Prompt : public nn::Module {
 public:
  Prompt(const std::int64_t width, const suite::sam::EncoderShape& image)
      : side_(image.side), grid_(image.side / image.patch) {
    frequencies_ = register_buffer("positional_encoding_gaussian_matrix", torch::randn({2, width / 2}));
    for (int i = 0; i < 4; ++i) {
      points_.push_back(register_module("point_embeddings" + std::to_string(i), nn::Embedding(1, width)));
    }
    no_point_ = register_module("not_a_point_embed", nn::Embedding(1, width));
    register_module("mask_downscaling0", nn::Conv2d(nn::Conv2dOptions(1, 4, 2).stride(2)));
    register_module("mask_downscaling1", std::make_shared<ChannelNorm>(4));
    register_module("mask_downscaling3", nn::Conv2d(nn::Conv2dOptions(4, 16, 2).stride(2)));
    register_module("mask_downscaling4", std::make_shared<ChannelNorm>(16));
    register_module("mask_downscaling6", nn::Conv2d(nn::Conv2dOptions(16, width, 1)));
    no_mask_ = register_module("no_mask_embed", nn::Embedding(1, width));
  }

  // `points` [prompts, points, 2] in pixels; labels 1 for the object, 0 for the background.
  Tensor tokens(const Tensor& points, const Tensor& labels) {
    const Tensor padding = torch::zeros({points.size(0), 1, 2}, points.options());
    const Tensor all = torch::cat({points + 0.5, padding}, 1);
    const Tensor kinds = torch::cat({labels, -torch::ones({labels.size(0), 1}, labels.options())}, 1);
    Tensor x = encoded(all / side_);
    x.index_put_({kinds == -1}, torch::zeros({}, x.options()));
    const auto add = [&](const int kind, nn::Embedding& embedding) {
      const Tensor where = kinds == kind;
      x.index_put_({where}, x.index({where}) + embedding->weight);
    };
    add(-1, no_point_);
    add(0, points_[0]);
    add(1, points_[1]);
    return x;
  }

  Tensor without_mask(const std::int64_t prompts) {
    return no_mask_->weight.reshape({1, -1, 1, 1}).expand({prompts, -1, grid_, grid_});
  }

  Tensor places_of_image() const {
    const Tensor ones = torch::ones({grid_, grid_}, frequencies_.options());
    const Tensor y = (ones.cumsum(0) - 0.5) / grid_, x = (ones.cumsum(1) - 0.5) / grid_;
    return encoded(torch::stack({x, y}, -1)).permute({2, 0, 1}).unsqueeze(0);
  }

 private:
  // Of places from 0 to 1.
  Tensor encoded(const Tensor& places) const {
    const Tensor phases = 2 * 3.14159265358979323846 * torch::matmul(2 * places - 1, frequencies_);
    return torch::cat({torch::sin(phases), torch::cos(phases)}, -1);
  }

  std::int64_t side_, grid_;
  Tensor frequencies_;
  std::vector<nn::Embedding> points_;
  nn::Embedding no_point_{nullptr}, no_mask_{nullptr};
};

class Sam : public nn::Module {
 public:
  explicit Sam(const Shape& shape) : shape_(shape) {
    encoder_ = register_module("image_encoder", std::make_shared<suite::sam::Encoder>(shape.encoder));
    prompt_ = register_module("prompt_encoder", std::make_shared<Prompt>(shape.decoder.width, shape.encoder));
    decoder_ = register_module("mask_decoder", std::make_shared<suite::sam::Decoder>(shape.decoder));
  }

  // Of images from 0 to 255 and a point in each: masks, how good they are, and the masks' logits in low resolution.
  Tensors forward(const Tensor& images, const Tensor& points) {
    const Tensor mean = torch::tensor({123.675F, 116.28F, 103.53F}, images.options()).view({3, 1, 1});
    const Tensor deviation = torch::tensor({58.395F, 57.12F, 57.375F}, images.options()).view({3, 1, 1});
    const std::int64_t side = shape_.encoder.side;
    const Tensor padded =
        torch::constant_pad_nd((images - mean) / deviation, {0, side - shape_.width, 0, side - shape_.height});
    const Tensor features = encoder_->forward(padded);
    std::vector<Tensor> masks, quality, logits;
    for (std::int64_t i = 0; i < images.size(0); ++i) {
      const Tensor point = points.slice(0, i, i + 1).unsqueeze(1), label = torch::ones({1, 1}, points.options());
      const suite::sam::Masks found = decoder_->forward({features.slice(0, i, i + 1), prompt_->places_of_image(),
                                                         prompt_->tokens(point, label), prompt_->without_mask(1)});
      masks.push_back(full_size(found.logits) > 0.0);
      quality.push_back(found.quality);
      logits.push_back(found.logits);
    }
    return {torch::cat(masks), torch::cat(quality), torch::cat(logits)};
  }

 private:
  Tensor full_size(const Tensor& logits) const {
    const std::int64_t side = shape_.encoder.side;
    const Tensor large = torch::upsample_bilinear2d(logits, {side, side}, /*align_corners=*/false);
    const Tensor cropped = large.slice(2, 0, shape_.height).slice(3, 0, shape_.width);
    return torch::upsample_bilinear2d(cropped, {shape_.full_height, shape_.full_width}, false);
  }

  Shape shape_;
  std::shared_ptr<suite::sam::Encoder> encoder_;
  std::shared_ptr<Prompt> prompt_;
  std::shared_ptr<suite::sam::Decoder> decoder_;
};

std::unique_ptr<Workload> make(const Setup& setup) {
  const Shape paper{.encoder = {.side = 1024,
                                .patch = 16,
                                .width = 1280,
                                .heads = 16,
                                .layers = 32,
                                .everywhere = {7, 15, 23, 31},
                                .window = 14,
                                .out = 256},
                    .decoder = {.width = 256, .heads = 8, .inner = 2048},
                    .height = 683,
                    .width = 1024,
                    .full_height = 1200,
                    .full_width = 1800};
  const Shape ci{.encoder = {.side = 192,
                             .patch = 16,
                             .width = 64,
                             .heads = 4,
                             .layers = 4,
                             .everywhere = {1, 3},
                             .window = 5,
                             .out = 32},
                 .decoder = {.width = 32, .heads = 4, .inner = 64},
                 .height = 128,
                 .width = 192,
                 .full_height = 160,
                 .full_width = 240};
  const Shape shape = by_size(setup, paper, ci);
  auto module = std::make_shared<Sam>(shape);
  module->to(setup.device);
  const Tensor images =
      torch::randint(256, {setup.batch, 3, shape.height, shape.width}).to(torch::kFloat).to(setup.device);
  const Tensor size = torch::tensor({static_cast<float>(shape.width), static_cast<float>(shape.height)});
  const Tensor points = (torch::rand({setup.batch, 2}) * size).to(setup.device);

  return standard_workload(
      setup,
      {.module = module, .forward = [=] { return module->forward(images, points); }, .inputs = {images, points}});
}

}  // namespace

std::vector<Benchmark> benchmarks() {
  return {{.name = "sam",
           .domain = "computer vision",
           .task = "image segmentation",
           .source = "facebookresearch/segment-anything",
           .parameters = 641090608,
           .paper_batch = {.train = 1, .infer = 1},
           .ci_batch = {.train = 1, .infer = 2},
           .make = make,
           .differs = "the photograph is at the encoder's size already (the original resizes one of 1200x1800 in each "
                      "iteration), and the masks stay on the device; several images at once are encoded together",
           .modes = {.train = false},
           .listed = Listed::later}};
}

}  // namespace tbci::suite::models::sam
