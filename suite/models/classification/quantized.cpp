// mobilenet_v2_quantized_qat and resnet50_quantized_qat: torchvision's mobilenet_v2 and resnet50, quantised by
// PyTorch's graph mode. Training is quantisation-aware; inference runs the quantised network, on one image.
#include "suite/blocks/channels.hpp"
#include "suite/blocks/quantization.hpp"
#include "suite/blocks/random_labels.hpp"

namespace tbci::suite::models::quantized {
namespace {

namespace nn = torch::nn;

using ConvolutionPtr = std::shared_ptr<QuantizableConvolution>;

ConvolutionPtr layer(const Convolution& c, Activation activation) {
  return std::make_shared<QuantizableConvolution>(c, activation);
}

class InvertedResidual : public nn::Module {
 public:
  InvertedResidual(std::int64_t in, std::int64_t out, std::int64_t stride, std::int64_t expansion) {
    const std::int64_t hidden = in * expansion;
    if (expansion != 1) expand_ = register_module("expand", layer({in, hidden, 1}, Activation::relu6));
    depthwise_ = register_module("depthwise", layer({hidden, hidden, 3, stride, hidden}, Activation::relu6));
    project_ = register_module("project", layer({hidden, out, 1}, Activation::none));
    if (stride == 1 && in == out) add_ = register_module("add", std::make_shared<QuantizableAdd>(false));
  }

  torch::Tensor forward(const torch::Tensor& x) {
    const torch::Tensor y = project_->forward(depthwise_->forward(expand_ ? expand_->forward(x) : x));
    return add_ ? add_->forward(x, y) : y;
  }

 private:
  ConvolutionPtr expand_, depthwise_, project_;
  std::shared_ptr<QuantizableAdd> add_;
};

class MobileNetV2 : public nn::Module {
 public:
  explicit MobileNetV2(const Setup& setup) {
    struct Stage {
      std::int64_t expansion, channels, count, stride;
    };
    constexpr Stage stages[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                                {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};
    const double width = by_size(setup, 1.0, 0.35);
    std::int64_t channels = scaled_channels(32, width);
    input_ = register_module("input", std::make_shared<QuantizableInput>());
    stem_ = register_module("stem", layer({3, channels, 3, 2}, Activation::relu6));
    for (const Stage& stage : stages) {
      const std::int64_t out = scaled_channels(stage.channels, width);
      for (std::int64_t i = 0; i < stage.count; ++i) {
        auto block = std::make_shared<InvertedResidual>(channels, out, i == 0 ? stage.stride : 1, stage.expansion);
        blocks_.push_back(register_module("block" + std::to_string(blocks_.size()), block));
        channels = out;
      }
    }
    constexpr std::int64_t last = 1280;
    last_ = register_module("last", layer({channels, last, 1}, Activation::relu6));
    dropout_ = register_module("dropout", std::make_shared<QuantizableDropout>(0.2));
    head_ = register_module("head", std::make_shared<QuantizableLinear>(last, by_size(setup, 1000, 100)));
  }

  torch::Tensor forward(const torch::Tensor& images) {
    torch::Tensor x = stem_->forward(input_->forward(images));
    for (const auto& block : blocks_) x = block->forward(x);
    x = last_->round(torch::adaptive_avg_pool2d(last_->forward(x), {1, 1}));
    x = last_->round(x.flatten(1));
    return head_->forward(dropout_->forward(x));
  }

 private:
  std::shared_ptr<QuantizableInput> input_;
  ConvolutionPtr stem_, last_;
  std::vector<std::shared_ptr<InvertedResidual>> blocks_;
  std::shared_ptr<QuantizableDropout> dropout_;
  std::shared_ptr<QuantizableLinear> head_;
};

class Bottleneck : public nn::Module {
 public:
  Bottleneck(std::int64_t in, std::int64_t width, std::int64_t stride) {
    const std::int64_t out = 4 * width;
    conv1_ = register_module("conv1", layer({in, width, 1}, Activation::relu));
    conv2_ = register_module("conv2", layer({width, width, 3, stride}, Activation::relu));
    conv3_ = register_module("conv3", layer({width, out, 1}, Activation::none));
    if (stride != 1 || in != out) {
      downsample_ = register_module("downsample", layer({in, out, 1, stride}, Activation::none));
    }
    add_ = register_module("add", std::make_shared<QuantizableAdd>(true));
  }

  torch::Tensor forward(const torch::Tensor& x) {
    const torch::Tensor y = conv3_->forward(conv2_->forward(conv1_->forward(x)));
    return add_->forward(y, downsample_ ? downsample_->forward(x) : x);
  }

  torch::Tensor round(const torch::Tensor& x) { return add_->round(x); }

 private:
  ConvolutionPtr conv1_, conv2_, conv3_, downsample_;
  std::shared_ptr<QuantizableAdd> add_;
};

class ResNet50 : public nn::Module {
 public:
  explicit ResNet50(const Setup& setup) {
    constexpr int counts[] = {3, 4, 6, 3};
    const std::int64_t first = by_size(setup, 64, 16);
    std::int64_t channels = first;
    input_ = register_module("input", std::make_shared<QuantizableInput>());
    stem_ = register_module("stem", layer({3, first, 7, 2}, Activation::relu));
    for (int stage = 0; stage < 4; ++stage) {
      for (int i = 0; i < counts[stage]; ++i) {
        const std::int64_t width = first << stage;
        auto block = std::make_shared<Bottleneck>(channels, width, stage > 0 && i == 0 ? 2 : 1);
        blocks_.push_back(register_module("block" + std::to_string(blocks_.size()), block));
        channels = 4 * width;
      }
    }
    head_ = register_module("fc", std::make_shared<QuantizableLinear>(channels, by_size(setup, 1000, 100)));
  }

  torch::Tensor forward(const torch::Tensor& images) {
    torch::Tensor x = stem_->forward(input_->forward(images));
    x = stem_->round(torch::max_pool2d(x, {3, 3}, {2, 2}, {1, 1}, {1, 1}));
    for (const auto& block : blocks_) x = block->forward(x);
    x = blocks_.back()->round(torch::adaptive_avg_pool2d(x, {1, 1}));
    return head_->forward(blocks_.back()->round(x.flatten(1)));
  }

 private:
  std::shared_ptr<QuantizableInput> input_;
  ConvolutionPtr stem_;
  std::vector<std::shared_ptr<Bottleneck>> blocks_;
  std::shared_ptr<QuantizableLinear> head_;
};

// An untrained network has observed no ranges yet. One image gives it ranges, so that its integers are meaningful.
template <class Network>
void quantize(Network& network, const torch::Tensor& image) {
  const torch::NoGradGuard no_gradients;
  network.eval();
  network.forward(image);
  convert(network);
}

template <class Network>
std::unique_ptr<Workload> make(const Setup& setup, std::int64_t side) {
  const bool infer = setup.mode == Mode::infer;
  if (infer && !setup.device.is_cpu()) throw Unsupported("quantised operators run on the CPU only, as in the original");
  auto module = std::make_shared<Network>(setup);
  module->to(setup.device);
  const torch::Tensor images = torch::randn({setup.batch, 3, side, side}, torch::TensorOptions().device(setup.device));
  if (infer) quantize(*module, images.slice(0, 0, 1));

  const auto forward = [module, images, infer] {
    if (!infer) return Tensors{module->forward(images)};
    return Tensors{module->forward(images.select(0, 0).unsqueeze(0)).dequantize()};
  };
  return standard_workload(setup, {.module = module,
                                   .forward = forward,
                                   .loss = [](const Tensors& outputs) { return loss_on_random_labels(outputs[0]); },
                                   .optimizer = use_adam(1e-3),
                                   .inputs = {images}});
}

// Inference always takes one image, whatever the batch, so ci size needs a large image for a measurable time.
template <class Network>
Benchmark benchmark(const std::string& name, std::int64_t parameters, std::int64_t paper_batch,
                    std::int64_t ci_infer_side) {
  const auto make_it = [ci_infer_side](const Setup& setup) {
    const std::int64_t ci_side = setup.mode == Mode::train ? 64 : ci_infer_side;
    return make<Network>(setup, by_size<std::int64_t>(setup, 224, ci_side));
  };
  return {.name = name,
          .domain = "computer vision",
          .task = "image classification",
          .source = "torchvision",
          .parameters = parameters,
          .paper_batch = {.train = paper_batch, .infer = paper_batch},
          .ci_batch = {.train = 2, .infer = 1},
          .make = make_it,
          .differs = "ranges are observed on one image before the conversion; the original converts without any"};
}

}  // namespace

std::vector<Benchmark> benchmarks() {
  return {benchmark<MobileNetV2>("mobilenet_v2_quantized_qat", 3504872, 96, 704),
          benchmark<ResNet50>("resnet50_quantized_qat", 25557032, 32, 704)};
}

}  // namespace tbci::suite::models::quantized
