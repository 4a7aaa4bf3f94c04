// doctr_det_predictor: Liao et al., Real-time Scene Text Detection with Differentiable Binarization (2020), DBNet on a
// ResNet-50, as python-doctr's db_resnet50.
#include <array>

#include "suite/blocks/text_boxes.hpp"
#include "suite/blocks/timm.hpp"

namespace tbci::suite::models::doctr_det_predictor {
namespace {

namespace nn = torch::nn;
using timm::ConvNorm;

struct Shape {
  std::int64_t width;  // of the backbone's first stage
  std::array<int, 4> blocks;
  std::int64_t side;  // pixels
};

std::shared_ptr<ConvNorm> layer(const Convolution& c, Activation activation = Activation::relu) {
  return std::make_shared<ConvNorm>(timm::ConvNormOptions{c, activation});
}

class Bottleneck : public nn::Module {
 public:
  Bottleneck(std::int64_t in, std::int64_t width, std::int64_t stride) {
    layers_ = {register_module("conv1", layer({in, width, 1})),
               register_module("conv2", layer({width, width, 3, stride})),
               register_module("conv3", layer({width, 4 * width, 1}, Activation::none))};
    if (stride == 1 && in == 4 * width) return;
    shortcut_ = register_module("downsample", layer({in, 4 * width, 1, stride}, Activation::none));
  }

  torch::Tensor forward(const torch::Tensor& input) {
    torch::Tensor x = input;
    for (const auto& layer : layers_) x = layer->forward(x);
    x += shortcut_ ? shortcut_->forward(input) : input;
    return x.relu_();
  }

 private:
  std::vector<std::shared_ptr<ConvNorm>> layers_;
  std::shared_ptr<ConvNorm> shortcut_;
};

class Backbone : public nn::Module {
 public:
  explicit Backbone(const Shape& shape) {
    stem_ = register_module("conv1", layer({3, shape.width, 7, 2}));
    std::int64_t channels = shape.width;
    for (std::size_t stage = 0; stage < shape.blocks.size(); ++stage) {
      stages_.emplace_back();
      for (int i = 0; i < shape.blocks[stage]; ++i) {
        const std::int64_t width = shape.width << stage, stride = stage > 0 && i == 0 ? 2 : 1;
        const std::string name = "layer" + std::to_string(stage + 1) + "_" + std::to_string(i);
        stages_.back().push_back(register_module(name, std::make_shared<Bottleneck>(channels, width, stride)));
        channels = 4 * width;
      }
    }
  }

  // What each of the four stages gives.
  Tensors forward(const torch::Tensor& images) {
    Tensors outputs;
    torch::Tensor x = torch::max_pool2d(stem_->forward(images), 3, 2, 1);
    for (const auto& stage : stages_) {
      for (const auto& block : stage) x = block->forward(x);
      outputs.push_back(x);
    }
    return outputs;
  }

 private:
  std::shared_ptr<ConvNorm> stem_;
  std::vector<std::vector<std::shared_ptr<Bottleneck>>> stages_;
};

torch::Tensor enlarged(const torch::Tensor& x, std::int64_t factor) {
  return torch::upsample_bilinear2d(x, {factor * x.size(2), factor * x.size(3)}, /*align_corners=*/true);
}

// From coarse to fine, then all levels side by side in the size of the finest.
class Pyramid : public nn::Module {
 public:
  Pyramid(std::int64_t finest, std::int64_t channels) {
    for (int i = 0; i < 4; ++i) {
      in_.push_back(register_module("in" + std::to_string(i), layer({finest << i, channels, 1})));
    }
    for (int i = 0; i < 4; ++i) {
      out_.push_back(register_module("out" + std::to_string(i), layer({channels, channels / 4, 3})));
    }
  }

  torch::Tensor forward(const Tensors& features) {
    Tensors levels;
    for (std::size_t i = 0; i < in_.size(); ++i) levels.push_back(in_[i]->forward(features[i]));
    for (std::size_t i = levels.size() - 1; i > 0; --i) levels[i - 1] = enlarged(levels[i], 2) + levels[i - 1];
    for (std::size_t i = 0; i < out_.size(); ++i) {
      levels[i] = enlarged(out_[i]->forward(levels[i]), std::int64_t{1} << i);
    }
    return torch::cat(levels, 1);
  }

 private:
  std::vector<std::shared_ptr<ConvNorm>> in_, out_;
};

// A map as large as the image, from one of a quarter of its size.
class MapHead : public nn::Module {
 public:
  explicit MapHead(std::int64_t channels) {
    const std::int64_t narrow = channels / 4;
    const auto doubling = [](std::int64_t in, std::int64_t out) {
      return nn::ConvTranspose2dOptions(in, out, 2).stride(2);
    };
    first_ = register_module("conv", layer({channels, narrow, 3}));
    second_ = register_module("up1", nn::ConvTranspose2d(doubling(narrow, narrow).bias(false)));
    norm_ = register_module("bn", nn::BatchNorm2d(narrow));
    third_ = register_module("up2", nn::ConvTranspose2d(doubling(narrow, 1)));
  }

  torch::Tensor forward(const torch::Tensor& x) {
    return third_->forward(norm_->forward(second_->forward(first_->forward(x))).relu_());
  }

 private:
  std::shared_ptr<ConvNorm> first_;
  nn::ConvTranspose2d second_{nullptr}, third_{nullptr};
  nn::BatchNorm2d norm_{nullptr};
};

class DbNet : public nn::Module {
 public:
  explicit DbNet(const Shape& shape) {
    const std::int64_t finest = 4 * shape.width;
    backbone_ = register_module("feat_extractor", std::make_shared<Backbone>(shape));
    pyramid_ = register_module("fpn", std::make_shared<Pyramid>(finest, finest));
    probability_ = register_module("prob_head", std::make_shared<MapHead>(finest));
    register_module("thresh_head", std::make_shared<MapHead>(finest));  // for training only
  }

  torch::Tensor forward(const torch::Tensor& images) {
    return probability_->forward(pyramid_->forward(backbone_->forward(images))).sigmoid();
  }

 private:
  std::shared_ptr<Backbone> backbone_;
  std::shared_ptr<Pyramid> pyramid_;
  std::shared_ptr<MapHead> probability_;
};

// Of all images, rows of image, x1, y1, x2, y2, score.
torch::Tensor boxes_of(const torch::Tensor& maps) {
  const torch::Tensor on_host = maps.detach().cpu().permute({0, 2, 3, 1});
  std::vector<float> rows;
  for (std::int64_t image = 0; image < on_host.size(0); ++image) {
    for (const TextBox& box : text_boxes(on_host[image].select(2, 0))) {
      rows.insert(rows.end(), {static_cast<float>(image), box.x1, box.y1, box.x2, box.y2, box.score});
    }
  }
  return torch::tensor(rows, torch::kFloat).view({static_cast<std::int64_t>(rows.size()) / 6, 6});
}

std::unique_ptr<Workload> make(const Setup& setup) {
  const Shape shape = by_size<Shape>(setup, {.width = 64, .blocks = {3, 4, 6, 3}, .side = 1024},
                                     {.width = 16, .blocks = {1, 2, 2, 1}, .side = 128});
  auto module = std::make_shared<DbNet>(shape);
  module->to(setup.device);
  const torch::Tensor images =
      torch::randn({setup.batch, 3, shape.side, shape.side}, torch::TensorOptions().device(setup.device));

  const auto forward = [module, images] {
    const torch::Tensor maps = module->forward(images);
    return Tensors{maps, boxes_of(maps)};
  };
  return standard_workload(setup, {.module = module, .forward = forward, .inputs = {images}});
}

}  // namespace

std::vector<Benchmark> benchmarks() {
  return {{.name = "doctr_det_predictor",
           .domain = "computer vision",
           .task = "object detection",
           .source = "python-doctr (db_resnet50)",
           .parameters = 25412162,
           .paper_batch = {.train = 1, .infer = 1},
           .ci_batch = {.train = 1, .infer = 12},
           .make = make,
           .modes = {.train = false}}};
}

}  // namespace tbci::suite::models::doctr_det_predictor
