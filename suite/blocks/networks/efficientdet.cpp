#include "suite/blocks/networks/efficientdet.hpp"

#include <cmath>
#include <limits>

namespace tbci::suite::efficientdet {
namespace {

namespace nn = torch::nn;

nn::BatchNorm2d norm(std::int64_t channels) {
  return nn::BatchNorm2d(nn::BatchNorm2dOptions(channels).eps(1e-3).momentum(0.01));
}

// Half the size, rounded up.
torch::Tensor halved(const torch::Tensor& x) {
  const torch::Tensor padded = timm::pad_same(x, {3, 2}, -std::numeric_limits<double>::infinity());
  return torch::max_pool2d(padded, 3, 2);
}

}  // namespace

// To the pyramid's number of channels. The bias is without effect before the norm; the original has it.
class Projection : public nn::Module {
 public:
  Projection(std::int64_t in, std::int64_t out) {
    convolution_ = register_module("conv", nn::Conv2d(nn::Conv2dOptions(in, out, 1)));
    norm_ = register_module("bn", norm(out));
    nn::init::xavier_uniform_(convolution_->weight);
    nn::init::zeros_(convolution_->bias);
  }

  torch::Tensor forward(const torch::Tensor& x) { return norm_->forward(convolution_->forward(x)); }

 private:
  nn::Conv2d convolution_{nullptr};
  nn::BatchNorm2d norm_{nullptr};
};

namespace {

// The mean of two or three features, brought to one level, with learned weights.
class Node : public nn::Module {
 public:
  Node(std::vector<Source> sources, int level, std::int64_t channels) : level_(level), sources_(std::move(sources)) {
    weights_ = register_parameter("edge_weights", torch::ones({static_cast<std::int64_t>(sources_.size())}));
    for (const Source& source : sources_) {
      projections_.push_back(nullptr);
      if (source.channels == channels) continue;
      projections_.back() = register_module("resample" + std::to_string(source.place),
                                            std::make_shared<Projection>(source.channels, channels));
    }
    convolution_ = register_module("conv", std::make_shared<Separable>(channels, channels, /*with_norm=*/true));
  }

  // `features`: of the levels in order, then what the nodes before gave.
  torch::Tensor forward(const Tensors& features) {
    const torch::Tensor weights = torch::relu(weights_);
    const torch::Tensor sum = weights.sum();
    Tensors weighted;
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      const torch::Tensor x = at_level(features, i);
      weighted.push_back(x * weights[static_cast<std::int64_t>(i)] / (sum + 1e-4));
    }
    torch::Tensor mixed = torch::stack(weighted, -1).sum(-1);
    at::silu_(mixed);
    return convolution_->forward(mixed);
  }

 private:
  torch::Tensor at_level(const Tensors& features, std::size_t i) {
    const Source& source = sources_[i];
    torch::Tensor x = features[source.place];
    if (projections_[i]) x = projections_[i]->forward(x);
    if (source.level < level_) return halved(x);
    if (source.level == level_) return x;
    return torch::upsample_nearest2d(x, features[static_cast<std::size_t>(level_)].sizes().slice(2));
  }

  int level_;
  std::vector<Source> sources_;
  torch::Tensor weights_;
  std::vector<std::shared_ptr<Projection>> projections_;
  std::shared_ptr<Separable> convolution_;
};

}  // namespace

Separable::Separable(std::int64_t in, std::int64_t out, bool with_norm) {
  depthwise = register_module("conv_dw", nn::Conv2d(nn::Conv2dOptions(in, in, 3).padding(1).groups(in).bias(false)));
  pointwise = register_module("conv_pw", nn::Conv2d(nn::Conv2dOptions(in, out, 1)));
  if (with_norm) norm_ = register_module("bn", norm(out));
  nn::init::xavier_uniform_(depthwise->weight);
  nn::init::xavier_uniform_(pointwise->weight);
  nn::init::zeros_(pointwise->bias);
}

torch::Tensor Separable::forward(const torch::Tensor& x) {
  const torch::Tensor y = pointwise->forward(depthwise->forward(x));
  return norm_.is_empty() ? y : norm_->forward(y);
}

// From coarse to fine: each level but the coarsest takes in the next coarser one. Back: each but the finest takes in
// the next finer one, what it was, and what it became on the way here.
class PyramidCell : public nn::Module {
 public:
  PyramidCell(const std::vector<std::int64_t>& in, std::int64_t channels) {
    std::vector<std::vector<Source>> of_level;
    for (int level = 0; level < levels; ++level) {
      const auto place = static_cast<std::size_t>(level);
      of_level.push_back({{place, level, in[place]}});
    }
    const auto add = [&](int level, std::vector<Source> sources) {
      const std::string name = "fnode" + std::to_string(nodes_.size());
      nodes_.push_back(register_module(name, std::make_shared<Node>(std::move(sources), level, channels)));
      of_level[static_cast<std::size_t>(level)].push_back({levels + nodes_.size() - 1, level, channels});
    };
    const auto all = [&](int level) { return of_level[static_cast<std::size_t>(level)]; };
    for (int level = levels - 2; level >= 0; --level) add(level, {all(level).back(), all(level + 1).back()});
    for (int level = 1; level < levels; ++level) {
      std::vector<Source> sources = all(level);
      sources.push_back(all(level - 1).back());
      add(level, std::move(sources));
    }
  }

  Tensors forward(Tensors features) {
    for (const auto& node : nodes_) features.push_back(node->forward(features));
    return {features.end() - levels, features.end()};  // the last node of each level, as it happens in order
  }

 private:
  std::vector<std::shared_ptr<Node>> nodes_;
};

Pyramid::Pyramid(const std::vector<std::int64_t>& backbone, const Shape& shape) {
  coarser_ = register_module("resample", std::make_shared<Projection>(backbone.back(), shape.channels));
  std::vector<std::int64_t> in = backbone;
  in.resize(levels, shape.channels);
  for (int i = 0; i < shape.cells; ++i) {
    cells_.push_back(register_module("cell" + std::to_string(i), std::make_shared<PyramidCell>(in, shape.channels)));
    in.assign(levels, shape.channels);
  }
}

Tensors Pyramid::forward(Tensors features) {
  features.push_back(halved(coarser_->forward(features.back())));
  features.push_back(halved(features.back()));
  for (const auto& cell : cells_) features = cell->forward(std::move(features));
  return features;
}

Head::Head(const Shape& shape, Predicts what) {
  const auto separable = [&](const std::string& name, std::int64_t out) {
    auto layer = register_module(name, std::make_shared<Separable>(shape.channels, out, /*with_norm=*/false));
    for (auto* convolution : {&layer->depthwise, &layer->pointwise}) {
      nn::init::kaiming_normal_((*convolution)->weight, 0.0, torch::kFanIn, torch::kLinear);
    }
    return layer;
  };
  for (int i = 0; i < shape.repeats; ++i) {
    convolutions_.push_back(separable("conv" + std::to_string(i), shape.channels));
  }
  for (int i = 0; i < shape.repeats; ++i) {
    norms_.emplace_back();
    for (int level = 0; level < levels; ++level) {
      const std::string name = "bn" + std::to_string(i) + "_" + std::to_string(level);
      norms_.back().push_back(register_module(name, norm(shape.channels)));
    }
  }
  predict_ = separable("predict", per_place * (what == Predicts::classes ? shape.classes : 4));
  // At the start each class has the probability 0.01 everywhere.
  if (what == Predicts::classes) nn::init::constant_(predict_->pointwise->bias, -std::log((1.0 - 0.01) / 0.01));
}

Tensors Head::forward(const Tensors& features) {
  Tensors outputs;
  for (std::size_t level = 0; level < features.size(); ++level) {
    torch::Tensor x = features[level];
    for (std::size_t i = 0; i < convolutions_.size(); ++i) {
      x = norms_[i][level]->forward(convolutions_[i]->forward(x));
      at::silu_(x);
    }
    outputs.push_back(predict_->forward(x));
  }
  return outputs;
}

Network::Network(const Shape& shape) {
  backbone_ = register_module("backbone", std::make_shared<timm::EfficientNetStages>(shape.backbone));
  const auto& channels = backbone_->channels();
  pyramid_ = register_module(
      "fpn", std::make_shared<Pyramid>(std::vector<std::int64_t>{channels[2], channels[4], channels[6]}, shape));
  classes_ = register_module("class_net", std::make_shared<Head>(shape, Head::Predicts::classes));
  boxes_ = register_module("box_net", std::make_shared<Head>(shape, Head::Predicts::boxes));
}

Maps Network::forward(const torch::Tensor& images) {
  const Tensors stages = backbone_->forward(images);
  const Tensors features = pyramid_->forward({stages[2], stages[4], stages[6]});
  return {classes_->forward(features), boxes_->forward(features)};
}

}  // namespace tbci::suite::efficientdet
