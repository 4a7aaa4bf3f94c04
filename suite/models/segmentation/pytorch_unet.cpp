// pytorch_unet: Ronneberger et al., U-Net (2015), in the form of milesial/Pytorch-UNet: batch norms, bilinear
// upsampling, padded convolutions; trained with cross entropy and the dice loss.
#include <array>

#include "suite/blocks/chain.hpp"
#include "suite/blocks/standard_workload.hpp"

namespace tbci::suite::models::pytorch_unet {
namespace {

constexpr std::int64_t classes = 2;

struct Shape {
  std::int64_t width;  // channels of the outermost level
  std::int64_t height_of_image;
  std::int64_t width_of_image;
};

std::shared_ptr<Chain> double_conv(std::int64_t in, std::int64_t middle, std::int64_t out) {
  auto layers = chain();
  layers->conv({in, middle, 3, 1, 1}).batch_norm(middle).relu();
  layers->conv({middle, out, 3, 1, 1}).batch_norm(out).relu();
  return layers;
}

class UNet : public torch::nn::Module {
 public:
  explicit UNet(const std::int64_t width) {
    down_.push_back(register_module("inc", double_conv(3, width, width)));
    for (const std::int64_t factor : {1, 2, 4, 8}) {
      const std::int64_t in = factor * width;
      const std::int64_t out = factor == 8 ? in : 2 * in;  // bilinear upsampling halves no channels
      down_.push_back(register_module("down" + std::to_string(down_.size()), double_conv(in, out, out)));
    }
    for (const std::int64_t factor : {16, 8, 4, 2}) {
      const std::int64_t in = factor * width;
      const std::int64_t out = factor == 2 ? width : in / 4;
      up_.push_back(register_module("up" + std::to_string(up_.size() + 1), double_conv(in, in / 2, out)));
    }
    head_ = register_module("outc", torch::nn::Conv2d(torch::nn::Conv2dOptions(width, classes, 1)));
  }

  torch::Tensor forward(const torch::Tensor& images) {
    std::vector<torch::Tensor> levels;
    torch::Tensor x = images;
    for (const auto& block : down_) {
      x = block->forward(levels.empty() ? x : torch::max_pool2d(x, 2));
      levels.push_back(x);
    }
    for (const auto& block : up_) {
      levels.pop_back();
      x = block->forward(torch::cat({levels.back(), enlarged(x, levels.back())}, 1));
    }
    return head_->forward(x);
  }

 private:
  // To twice the size, then padded where pooling had rounded down.
  static torch::Tensor enlarged(const torch::Tensor& x, const torch::Tensor& like) {
    const torch::Tensor twice = torch::upsample_bilinear2d(x, {2 * x.size(2), 2 * x.size(3)}, true);
    const std::int64_t rows = like.size(2) - twice.size(2), columns = like.size(3) - twice.size(3);
    return torch::constant_pad_nd(twice, {columns / 2, columns - columns / 2, rows / 2, rows - rows / 2});
  }

  std::vector<std::shared_ptr<Chain>> down_;
  std::vector<std::shared_ptr<Chain>> up_;
  torch::nn::Conv2d head_{nullptr};
};

torch::Tensor class_masks(const torch::Tensor& labels) {
  return torch::one_hot(labels, classes).permute({0, 3, 1, 2}).to(torch::kFloat);
}

// One minus the mean overlap of the classes, each taken over the whole batch.
torch::Tensor dice_loss(const torch::Tensor& probabilities, const torch::Tensor& truth) {
  constexpr double epsilon = 1e-6;
  torch::Tensor sum = torch::zeros({}, probabilities.options());
  for (std::int64_t i = 0; i < classes; ++i) {
    const torch::Tensor p = probabilities.select(1, i), t = truth.select(1, i);
    const torch::Tensor common = torch::dot(p.reshape(-1), t.reshape(-1));
    torch::Tensor areas = p.sum() + t.sum();
    if (areas.item<float>() == 0.0F) areas = 2 * common;
    sum = sum + (2 * common + epsilon) / (areas + epsilon);
  }
  return 1 - sum / classes;
}

std::unique_ptr<Workload> make(const Setup& setup) {
  const Shape shape = by_size<Shape>(setup, {.width = 64, .height_of_image = 640, .width_of_image = 959},
                                     {.width = 8, .height_of_image = 80, .width_of_image = 119});
  auto module = std::make_shared<UNet>(shape.width);
  module->to(setup.device);
  const auto options = torch::TensorOptions().device(setup.device);
  const torch::Tensor images = torch::rand({setup.batch, 3, shape.height_of_image, shape.width_of_image}, options);
  // All background, as in TorchBench.
  const torch::Tensor masks =
      torch::zeros({setup.batch, shape.height_of_image, shape.width_of_image}, options.dtype(torch::kLong));

  const auto forward = [module, images, training = setup.mode == Mode::train] {
    const torch::Tensor scores = module->forward(images);
    return Tensors{training ? scores : class_masks(scores.argmax(1))};
  };
  const auto loss = [masks](const Tensors& outputs) {
    return at::cross_entropy_loss(outputs[0], masks) + dice_loss(torch::softmax(outputs[0], 1), class_masks(masks));
  };
  const auto steps = torch::optim::RMSpropOptions(1e-5).weight_decay(1e-8).momentum(0.9);
  return standard_workload(
      setup, {.module = module, .forward = forward, .loss = loss, .optimizer = use_rmsprop(steps), .inputs = {images}});
}

}  // namespace

std::vector<Benchmark> benchmarks() {
  return {{.name = "pytorch_unet",
           .domain = "computer vision",
           .task = "image segmentation",
           .source = "milesial/Pytorch-UNet",
           .parameters = 17267458,
           .paper_batch = {.train = 1, .infer = 1},
           .ci_batch = {.train = 1, .infer = 3},
           .make = make,
           .differs = "in float32 everywhere (the original uses automatic mixed precision on GPUs)"}};
}

}  // namespace tbci::suite::models::pytorch_unet
