// Super_SloMo: Jiang et al., Super SloMo: High Quality Estimation of Multiple Intermediate Frames for Video
// Interpolation (2018), in the form of avinashpaliwal/Super-SloMo. One U-Net estimates the optical flows between two
// frames, a second one refines them for the time in between; the loss looks through the first layers of a VGG16 too.
#include <array>

#include "suite/blocks/chain.hpp"
#include "suite/blocks/standard_workload.hpp"

namespace tbci::suite::models::super_slomo {
namespace {

using torch::Tensor;

struct Shape {
  std::int64_t width;      // channels of the U-Nets' outermost level
  std::int64_t vgg_width;  // channels of the VGG's first stage
  std::int64_t side;       // pixels
};

Tensor leaky(const Tensor& x) {
  return torch::leaky_relu(x, 0.1);
}

torch::nn::Conv2d same(std::int64_t in, std::int64_t out, std::int64_t kernel) {
  return torch::nn::Conv2d(torch::nn::Conv2dOptions(in, out, kernel).padding(kernel / 2));
}

class Pair : public torch::nn::Module {
 public:
  Pair(torch::nn::Conv2d first, torch::nn::Conv2d second)
      : first_(register_module("conv1", first)), second_(register_module("conv2", second)) {}

  Tensor down(const Tensor& x) { return leaky(second_->forward(leaky(first_->forward(torch::avg_pool2d(x, 2))))); }

  Tensor up(const Tensor& x, const Tensor& skipped) {
    const Tensor large = torch::upsample_bilinear2d(x, {2 * x.size(2), 2 * x.size(3)}, /*align_corners=*/false);
    return leaky(second_->forward(torch::cat({leaky(first_->forward(large)), skipped}, 1)));
  }

 private:
  torch::nn::Conv2d first_;
  torch::nn::Conv2d second_;
};

class UNet : public torch::nn::Module {
 public:
  UNet(std::int64_t in, std::int64_t out, std::int64_t width)
      : first_(register_module("conv1", same(in, width, 7))), second_(register_module("conv2", same(width, width, 7))) {
    std::int64_t channels = width;
    for (const std::int64_t factor : {2, 4, 8, 16, 16}) {
      const std::int64_t kernel = down_.empty() ? 5 : 3, next = factor * width;
      auto pair = std::make_shared<Pair>(same(channels, next, kernel), same(next, next, kernel));
      down_.push_back(register_module("down" + std::to_string(down_.size() + 1), pair));
      channels = next;
    }
    for (const std::int64_t factor : {16, 8, 4, 2, 1}) {
      const std::int64_t next = factor * width;
      auto pair = std::make_shared<Pair>(same(channels, next, 3), same(2 * next, next, 3));
      up_.push_back(register_module("up" + std::to_string(up_.size() + 1), pair));
      channels = next;
    }
    last_ = register_module("conv3", same(width, out, 3));
  }

  Tensor forward(const Tensor& input) {
    std::vector<Tensor> levels{leaky(second_->forward(leaky(first_->forward(input))))};
    for (const auto& pair : down_) levels.push_back(pair->down(levels.back()));
    Tensor x = levels.back();
    for (const auto& pair : up_) {
      levels.pop_back();
      x = pair->up(x, levels.back());
    }
    return leaky(last_->forward(x));
  }

 private:
  torch::nn::Conv2d first_, second_, last_{nullptr};
  std::vector<std::shared_ptr<Pair>> down_, up_;
};

// VGG16 up to its third convolution of the fourth stage, frozen.
std::shared_ptr<Chain> vgg16_to_conv4_3(const std::int64_t width) {
  auto layers = chain();
  std::int64_t channels = 3;
  for (const std::int64_t factor : {1, 2, 4, 8}) {
    if (factor > 1) layers->function([](const Tensor& x) { return torch::max_pool2d(x, 2); });
    for (int i = 0; i < (factor < 4 ? 2 : 3); ++i) {
      layers->conv({channels, factor * width, 3, 1, 1});
      if (factor < 8 || i < 2) layers->relu();
      channels = factor * width;
    }
  }
  for (Tensor& parameter : layers->parameters()) parameter.requires_grad_(false);
  return layers;
}

// Fetches each pixel from where the flow points to.
class BackWarp : public torch::nn::Module {
 public:
  explicit BackWarp(const std::int64_t side) : side_(side) {
    const Tensor line = torch::arange(side);
    columns_ = register_buffer("gridX", line.unsqueeze(0).repeat({side, 1}));
    rows_ = register_buffer("gridY", line.unsqueeze(1).repeat({1, side}));
  }

  Tensor forward(const Tensor& image, const Tensor& flow) {
    const auto place = [&](const Tensor& grid, const std::int64_t axis) {
      const Tensor shift = flow.select(1, axis);
      const Tensor at = grid.unsqueeze(0).expand_as(shift).to(shift.scalar_type()) + shift;
      return 2 * (at / side_ - 0.5);
    };
    const Tensor grid = torch::stack({place(columns_, 0), place(rows_, 1)}, 3);
    return torch::grid_sampler(image, grid, /*bilinear*/ 0, /*zeros*/ 0, /*align_corners=*/false);
  }

 private:
  std::int64_t side_;
  Tensor columns_, rows_;
};

struct Frames {
  Tensor index;  // which of the seven times between the frames
  Tensor first, second, between;
};

Tensor distance(const Tensor& a, const Tensor& b) {
  return torch::l1_loss(a, b);
}

// How much neighbours differ, to the right and below.
Tensor roughness(const Tensor& flow) {
  const std::int64_t rows = flow.size(2), columns = flow.size(3);
  return torch::mean(torch::abs(flow.slice(3, 0, columns - 1) - flow.slice(3, 1, columns))) +
         torch::mean(torch::abs(flow.slice(2, 0, rows - 1) - flow.slice(2, 1, rows)));
}

class SuperSlomo : public torch::nn::Module {
 public:
  explicit SuperSlomo(const Shape& shape)
      : flows_(register_module("flowComp", std::make_shared<UNet>(6, 4, shape.width))),
        refine_(register_module("ArbTimeFlowIntrp", std::make_shared<UNet>(20, 5, shape.width))),
        warp_(register_module("trainFlowBackWarp", std::make_shared<BackWarp>(shape.side))),
        vgg_(register_module("vgg16_conv_4_3", vgg16_to_conv4_3(shape.vgg_width))) {}

  // The frame in between, and the loss.
  Tensors forward(const Frames& f) {
    const Tensor both = flows_->forward(torch::cat({f.first, f.second}, 1));
    const Tensor forth = both.slice(1, 0, 2), back = both.slice(1, 2);

    const Tensor times = torch::linspace(0.125, 0.875, 7, both.options()).index({f.index});
    const Tensor mixed = -(1 - times) * times;
    Tensor to_first = coefficient(mixed) * forth + coefficient(times * times) * back;
    Tensor to_second = coefficient((1 - times) * (1 - times)) * forth + coefficient(mixed) * back;
    const Tensor coarse_first = warp_->forward(f.first, to_first), coarse_second = warp_->forward(f.second, to_second);

    const Tensor refined = refine_->forward(
        torch::cat({f.first, f.second, forth, back, to_second, to_first, coarse_second, coarse_first}, 1));
    to_first = refined.slice(1, 0, 2) + to_first;
    to_second = refined.slice(1, 2, 4) + to_second;
    const Tensor see_first = torch::sigmoid(refined.slice(1, 4, 5)), see_second = 1 - see_first;
    const Tensor weight_first = coefficient(1 - times) * see_first, weight_second = coefficient(times) * see_second;
    const Tensor frame =
        (weight_first * warp_->forward(f.first, to_first) + weight_second * warp_->forward(f.second, to_second)) /
        (weight_first + weight_second);

    const Tensor perceived = torch::mse_loss(vgg_->forward(frame), vgg_->forward(f.between));
    const Tensor warped = distance(coarse_first, f.between) + distance(coarse_second, f.between) +
                          distance(warp_->forward(f.first, back), f.second) +
                          distance(warp_->forward(f.second, forth), f.first);
    const Tensor rough = roughness(back) + roughness(forth);
    return {frame, 204 * distance(frame, f.between) + 102 * warped + 0.005 * perceived + rough};
  }

 private:
  static Tensor coefficient(const Tensor& of_sample) {
    return of_sample.unsqueeze(0).unsqueeze(0).unsqueeze(0).permute({3, 0, 1, 2});
  }

  std::shared_ptr<UNet> flows_, refine_;
  std::shared_ptr<BackWarp> warp_;
  std::shared_ptr<Chain> vgg_;
};

std::unique_ptr<Workload> make(const Setup& setup) {
  const Shape shape =
      by_size<Shape>(setup, {.width = 32, .vgg_width = 64, .side = 352}, {.width = 8, .vgg_width = 8, .side = 64});
  auto module = std::make_shared<SuperSlomo>(shape);
  module->to(setup.device);
  const auto options = torch::TensorOptions().device(setup.device);
  const auto frame = [&] { return torch::rand({setup.batch, 3, shape.side, shape.side}, options) - 0.42; };
  const Frames frames{torch::randint(7, {setup.batch}, options.dtype(torch::kLong)), frame(), frame(), frame()};

  return standard_workload(setup, {.module = module,
                                   .forward = [module, frames] { return module->forward(frames); },
                                   .loss = [](const Tensors& outputs) { return outputs[1]; },
                                   .optimizer = use_adam(1e-4),
                                   .inputs = {frames.index, frames.first, frames.second, frames.between}});
}

}  // namespace

std::vector<Benchmark> benchmarks() {
  return {{.name = "Super_SloMo",
           .domain = "computer vision",
           .task = "video interpolation",
           .source = "avinashpaliwal/Super-SloMo",
           .parameters = 47245737,
           .paper_batch = {.train = 6, .infer = 6},
           .ci_batch = {.train = 1, .infer = 2},
           .make = make,
           .differs = "the VGG16 of its loss has random weights"}};
}

}  // namespace tbci::suite::models::super_slomo
