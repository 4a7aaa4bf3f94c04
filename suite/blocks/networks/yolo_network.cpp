#include "suite/blocks/networks/yolo_network.hpp"

#include <cmath>
#include <string>

namespace tbci::suite::yolo {

using torch::Tensor;

namespace {

constexpr std::int64_t strides[] = {32, 16, 8};
// Width and height in pixels, three for each level.
constexpr float anchors[][6] = {{116, 90, 156, 198, 373, 326}, {30, 61, 62, 45, 59, 119}, {10, 13, 16, 30, 33, 23}};

struct Layer {
  std::int64_t in;
  std::int64_t out;
  std::int64_t kernel;
  std::int64_t stride = 1;
};

Chain& add(Chain& layers, const Layer& l) {
  return layers.conv({l.in, l.out, l.kernel, l.stride, l.kernel / 2, false})
      .batch_norm(l.out, {1e-4, 0.03})
      .leaky_relu(0.1);
}

// Halves the resolution, then residual blocks.
std::shared_ptr<Chain> stage(const std::int64_t out, const int blocks) {
  auto layers = chain();
  add(*layers, {out / 2, out, 3, 2});
  for (int i = 0; i < blocks; ++i) {
    auto inner = chain();
    add(add(*inner, {out, out / 2, 1}), {out / 2, out, 3});
    layers->residual(inner);
  }
  return layers;
}

// Narrow, wide, narrow and so on.
std::shared_ptr<Chain> neck(std::int64_t in, const std::int64_t narrow, const int layers_to_add) {
  auto layers = chain();
  for (int i = 0; i < layers_to_add; ++i) {
    if (i % 2 == 0)
      add(*layers, {in, narrow, 1});
    else
      add(*layers, {narrow, in = 2 * narrow, 3});
  }
  return layers;
}

std::shared_ptr<Chain> head(const std::int64_t narrow, const std::int64_t classes) {
  auto layers = chain();
  add(*layers, {narrow, 2 * narrow, 3}).conv({2 * narrow, anchors_per_level * (5 + classes), 1});
  // Few cells have an object, and none is of any class from the start.
  const torch::NoGradGuard no_gradients;
  const Tensor bias = layers->parameters().back().view({anchors_per_level, -1});
  bias.select(1, 4) -= 4.5;
  bias.slice(1, 5) += std::log(0.6 / (static_cast<double>(classes) - 0.99));
  return layers;
}

Tensor pyramid_pool(const Tensor& x) {
  const auto pooled = [&](std::int64_t size) { return torch::max_pool2d(x, size, 1, size / 2); };
  const Tensor fine = pooled(5), middle = pooled(9), coarse = pooled(13);
  return torch::cat({coarse, middle, fine, x}, 1);
}

}  // namespace

Network::Network(const NetworkShape& shape) : outputs_(5 + shape.classes) {
  const std::int64_t w = shape.width;
  stem_ = register_module("stem", chain());
  add(*stem_, {3, w, 3});
  for (std::size_t i = 0; i < shape.blocks.size(); ++i) {
    const std::string name = "stage" + std::to_string(i);
    stages_.push_back(register_module(name, stage(w << (i + 1), shape.blocks[i])));
  }
  before_pool_ = register_module("before_pool", neck(32 * w, 16 * w, 3));
  necks_.push_back(register_module("neck0", neck(64 * w, 16 * w, 3)));
  heads_.push_back(register_module("head0", head(16 * w, shape.classes)));
  for (const std::int64_t narrow : {8 * w, 4 * w}) {
    const std::string number = std::to_string(heads_.size());
    reduce_.push_back(register_module("reduce" + number, chain()));
    add(*reduce_.back(), {2 * narrow, narrow, 1});
    necks_.push_back(register_module("neck" + number, neck(3 * narrow, narrow, 5)));
    heads_.push_back(register_module("head" + number, head(narrow, shape.classes)));
  }
  for (std::size_t i = 0; i < heads_.size(); ++i) {
    const Tensor pixels = torch::tensor(std::vector<float>(anchors[i], anchors[i] + 2 * anchors_per_level));
    anchors_.push_back(
        register_buffer("anchors" + std::to_string(i), pixels.view({anchors_per_level, 2}) / strides[i]));
  }
}

Tensors Network::forward(const Tensor& images) {
  std::vector<Tensor> features{stem_->forward(images)};
  for (const auto& stage : stages_) features.push_back(stage->forward(features.back()));
  Tensor x = pyramid_pool(before_pool_->forward(features.back()));
  Tensors levels;
  for (std::size_t i = 0; i < heads_.size(); ++i) {
    if (i > 0) {
      x = reduce_[i - 1]->forward(x);
      x = torch::upsample_nearest2d(x, {2 * x.size(2), 2 * x.size(3)});
      x = torch::cat({x, features[features.size() - 1 - i]}, 1);
    }
    x = necks_[i]->forward(x);
    levels.push_back(by_cell(heads_[i]->forward(x)));
  }
  return levels;
}

Tensor Network::boxes(const Tensors& levels) const {
  Tensors all;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    Tensor p = levels[i].clone();
    const auto line = [&](std::int64_t count) { return torch::arange(count, p.options().dtype(torch::kLong)); };
    const std::vector<Tensor> places = torch::meshgrid({line(p.size(2)), line(p.size(3))}, "ij");
    const Tensor grid = torch::stack({places[1], places[0]}, 2).view({1, 1, p.size(2), p.size(3), 2}).to(p.dtype());
    p.slice(4, 0, 2).copy_(torch::sigmoid(p.slice(4, 0, 2)) + grid);
    p.slice(4, 2, 4).copy_(torch::exp(p.slice(4, 2, 4)) * anchors_[i].view({1, anchors_per_level, 1, 1, 2}));
    p.slice(4, 0, 4).mul_(strides[i]);
    p.slice(4, 4).sigmoid_();
    all.push_back(p.view({p.size(0), -1, outputs_}));
  }
  return torch::cat(all, 1);
}

Tensor Network::by_cell(const Tensor& x) const {
  return x.view({x.size(0), anchors_per_level, outputs_, x.size(2), x.size(3)}).permute({0, 1, 3, 4, 2}).contiguous();
}

}  // namespace tbci::suite::yolo
