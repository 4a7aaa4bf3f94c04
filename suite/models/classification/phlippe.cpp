// phlippe_densenet and phlippe_resnet: the small networks for CIFAR-10 of Lippe's UvA deep learning tutorials (2022),
// after Huang et al., Densely Connected Convolutional Networks (2016), and He et al., Deep Residual Learning (2015).
#include <array>

#include "suite/blocks/conv_norm.hpp"

namespace tbci::suite::models::phlippe {
namespace {

namespace nn = torch::nn;

constexpr Images cifar{.side = 32, .classes = 10};

nn::Conv2d with_bias(const Convolution& c) {
  nn::Conv2d layer(nn::Conv2dOptions(c.in, c.out, c.kernel).stride(c.stride).padding(c.kernel / 2));
  nn::init::kaiming_normal_(layer->weight, 0.0, torch::kFanOut, torch::kReLU);
  return layer;
}

torch::Tensor average(const torch::Tensor& x) {
  return torch::adaptive_avg_pool2d(x, {1, 1}).flatten(1);
}

// The norm and the activation come before the convolution.
class NormConv : public nn::Module {
 public:
  explicit NormConv(const Convolution& c)
      : norm_(register_module("norm", batch_norm(c.in))), convolution_(register_module("conv", convolution(c))) {}

  torch::Tensor forward(const torch::Tensor& x) { return convolution_->forward(torch::relu(norm_->forward(x))); }

 private:
  nn::BatchNorm2d norm_;
  nn::Conv2d convolution_;
};

class DenseNet : public nn::Module {
 public:
  DenseNet() {
    constexpr std::int64_t growth = 16, bottleneck = 2 * growth;
    std::int64_t channels = bottleneck;
    stem_ = register_module("input_net", with_bias({3, channels, 3}));
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      const std::string number = std::to_string(i);
      for (int j = 0; j < 6; ++j) {
        const std::string name = number + "_" + std::to_string(j);
        Layer layer;
        layer.squeeze =
            register_module("squeeze" + name, std::make_shared<NormConv>(Convolution{channels, bottleneck, 1}));
        layer.grow = register_module("grow" + name, std::make_shared<NormConv>(Convolution{bottleneck, growth, 3}));
        blocks_[i].push_back(layer);
        channels += growth;
      }
      if (i + 1 == blocks_.size()) break;
      auto transition = std::make_shared<NormConv>(Convolution{channels, channels / 2, 1});
      transitions_.push_back(register_module("transition" + number, transition));
      channels /= 2;
    }
    norm_ = register_module("norm", batch_norm(channels));
    head_ = register_module("head", nn::Linear(channels, cifar.classes));
  }

  torch::Tensor forward(const torch::Tensor& images) {
    torch::Tensor x = stem_->forward(images);
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      for (const Layer& layer : blocks_[i]) x = torch::cat({layer.grow->forward(layer.squeeze->forward(x)), x}, 1);
      if (i < transitions_.size()) x = torch::avg_pool2d(transitions_[i]->forward(x), 2, 2);
    }
    return head_->forward(average(torch::relu(norm_->forward(x))));
  }

 private:
  struct Layer {
    std::shared_ptr<NormConv> squeeze, grow;
  };

  nn::Conv2d stem_{nullptr};
  std::array<std::vector<Layer>, 4> blocks_;
  std::vector<std::shared_ptr<NormConv>> transitions_;
  nn::BatchNorm2d norm_{nullptr};
  nn::Linear head_{nullptr};
};

// Unlike its larger kin, it adds before no norm on the shortcut: a mere convolution with a bias halves the side.
class ResidualBlock : public nn::Module {
 public:
  ResidualBlock(std::int64_t in, std::int64_t out) {
    const std::int64_t stride = in == out ? 1 : 2;
    conv1_ = register_module("conv1", convolution({in, out, 3, stride}));
    norm1_ = register_module("norm1", batch_norm(out));
    conv2_ = register_module("conv2", convolution({out, out, 3}));
    norm2_ = register_module("norm2", batch_norm(out));
    if (stride != 1) downsample_ = register_module("downsample", with_bias({in, out, 1, stride}));
  }

  torch::Tensor forward(const torch::Tensor& x) {
    const torch::Tensor y = torch::relu(norm1_->forward(conv1_->forward(x)));
    const torch::Tensor z = norm2_->forward(conv2_->forward(y));
    return torch::relu(z + (downsample_.is_empty() ? x : downsample_->forward(x)));
  }

 private:
  nn::Conv2d conv1_{nullptr}, conv2_{nullptr}, downsample_{nullptr};
  nn::BatchNorm2d norm1_{nullptr}, norm2_{nullptr};
};

class ResNet : public nn::Module {
 public:
  ResNet() {
    std::int64_t channels = 16;
    stem_ = register_module("conv", convolution({3, channels, 3}));
    norm_ = register_module("norm", batch_norm(channels));
    for (const std::int64_t width : {16, 32, 64}) {
      for (int i = 0; i < 3; ++i) {
        const std::string name = "block" + std::to_string(blocks_.size());
        blocks_.push_back(register_module(name, std::make_shared<ResidualBlock>(channels, width)));
        channels = width;
      }
    }
    head_ = register_module("head", nn::Linear(channels, cifar.classes));
  }

  torch::Tensor forward(const torch::Tensor& images) {
    torch::Tensor x = torch::relu(norm_->forward(stem_->forward(images)));
    for (const auto& block : blocks_) x = block->forward(x);
    return head_->forward(average(x));
  }

 private:
  nn::Conv2d stem_{nullptr};
  nn::BatchNorm2d norm_{nullptr};
  std::vector<std::shared_ptr<ResidualBlock>> blocks_;
  nn::Linear head_{nullptr};
};

// Both sizes are the same network: only the batches differ.
template <class Network>
Benchmark benchmark(const std::string& name, std::int64_t parameters, const BatchSizes& ci,
                    const OptimizerFactory& optimizer) {
  const auto make = [optimizer](const Setup& setup) {
    auto module = std::make_shared<Network>();
    module->to(setup.device);
    const auto on_device = torch::TensorOptions().device(setup.device);
    const torch::Tensor input = torch::randn({setup.batch, 3, cifar.side, cifar.side}, on_device);
    const torch::Tensor target = torch::randint(cifar.classes, {setup.batch}, on_device.dtype(torch::kLong));
    return standard_workload(
        setup, {.module = module,
                .forward = [module, input] { return Tensors{module->forward(input)}; },
                .loss = [target](const Tensors& outputs) { return at::cross_entropy_loss(outputs[0], target); },
                .optimizer = optimizer,
                .inputs = {input}});
  };
  return {.name = name,
          .domain = "computer vision",
          .task = "image classification",
          .source = "phlippe/uvadlc_notebooks_benchmarking",
          .parameters = parameters,
          .paper_batch = {.train = 128, .infer = 128},
          .ci_batch = ci,
          .make = make};
}

}  // namespace

std::vector<Benchmark> benchmarks() {
  return {benchmark<DenseNet>("phlippe_densenet", 239146, {.train = 3, .infer = 10},
                              use_adam_w(torch::optim::AdamWOptions(1e-3).weight_decay(1e-4))),
          benchmark<ResNet>("phlippe_resnet", 272378, {.train = 8, .infer = 32},
                            use_sgd(torch::optim::SGDOptions(0.1).momentum(0.9).weight_decay(1e-4)))};
}

}  // namespace tbci::suite::models::phlippe
