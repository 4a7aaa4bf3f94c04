// pytorch_CycleGAN_and_pix2pix: Zhu et al., Unpaired Image-to-Image Translation using Cycle-Consistent Adversarial
// Networks (2017), in the authors' implementation. Training does one step of both generators and then of both
// discriminators; inference is one generator's, as in TorchBench.
#include <utility>

#include "suite/blocks/networks/patch_discriminator.hpp"
#include "suite/blocks/standard_workload.hpp"

namespace tbci::suite::models::cyclegan {
namespace {

using torch::Tensor;

struct Shape {
  std::int64_t width;
  std::int64_t side;
};

std::shared_ptr<Chain> residual_block(const std::int64_t width) {
  auto layers = chain();
  layers->pad_by_reflection(1).conv({width, width, 3}).instance_norm(width).relu();
  layers->pad_by_reflection(1).conv({width, width, 3}).instance_norm(width);
  return layers;
}

std::shared_ptr<Chain> generator(const std::int64_t width) {
  auto layers = chain();
  layers->pad_by_reflection(3).conv({3, width, 7}).instance_norm(width).relu();
  for (const std::int64_t in : {width, 2 * width}) layers->conv({in, 2 * in, 3, 2, 1}).instance_norm(2 * in).relu();
  for (int i = 0; i < 9; ++i) layers->residual(residual_block(4 * width));
  for (const std::int64_t out : {2 * width, width}) {
    layers->conv_transposed({2 * out, out, 3, 2, 1, true, 1}).instance_norm(out).relu();
  }
  layers->pad_by_reflection(3).conv({width, 3, 7}).tanh();
  return layers;
}

void initialise(torch::nn::Module& network) {
  for (Tensor& parameter : network.parameters()) {
    if (parameter.dim() > 1)
      torch::nn::init::normal_(parameter, 0.0, 0.02);
    else
      torch::nn::init::zeros_(parameter);
  }
}

// Earlier fakes: the discriminator sees one of them instead of the new one every other time, once the pool is full.
class ImagePool {
 public:
  Tensor query(const Tensor& images) {
    std::vector<Tensor> chosen;
    for (const Tensor& image : images.detach().split(1)) chosen.push_back(query_one(image));
    return torch::cat(chosen);
  }

 private:
  Tensor query_one(const Tensor& image) {
    constexpr std::size_t capacity = 50;
    if (images_.size() < capacity) {
      images_.push_back(image);
      return image;
    }
    if (torch::rand({1}).item<double>() <= 0.5) return image;
    const auto place = static_cast<std::size_t>(torch::randint(static_cast<std::int64_t>(capacity), {1}).item<int>());
    return std::exchange(images_[place], image);
  }

  std::vector<Tensor> images_;
};

Tensor judged(const Tensor& verdict, const double label) {
  return torch::mse_loss(verdict, torch::full({}, label, verdict.options()).expand_as(verdict));
}

void require_gradients(torch::nn::Module& network, const bool required) {
  for (Tensor& parameter : network.parameters()) parameter.requires_grad_(required);
}

// One direction of the translation: images of one kind, what makes them of the other kind, and what judges these.
struct Side {
  std::shared_ptr<Chain> translate;
  std::shared_ptr<Chain> judge;
  Tensor real;  // the pictures to translate
  ImagePool fakes = {};
};

class CycleGan final : public Workload {
 public:
  CycleGan(const Setup& setup, const Shape& shape) : training_(setup.mode == Mode::train) {
    for (Side* side : {&a_, &b_}) {
      side->translate = generator(shape.width);
      side->judge = patch_discriminator({.width = shape.width, .padding = 1});
      for (const auto& network : {side->translate, side->judge}) {
        initialise(*network);
        network->to(setup.device);
        network->train(training_);
      }
      side->real = 2 * torch::rand({setup.batch, 3, shape.side, shape.side}) - 1;
      side->real = side->real.to(setup.device);
    }
    if (!training_) return;
    const auto options = torch::optim::AdamOptions(2e-4).betas({0.5, 0.999});
    step_generators_ = std::make_unique<torch::optim::Adam>(both(a_.translate, b_.translate), options);
    step_discriminators_ = std::make_unique<torch::optim::Adam>(both(a_.judge, b_.judge), options);
  }

  void iterate() override {
    if (training_) {
      train();
    } else {
      const torch::NoGradGuard no_gradients;
      results_ = {a_.translate->forward(a_.real)};
    }
  }

  Tensors results() const override { return results_; }
  std::shared_ptr<torch::nn::Module> module() const override { return a_.translate; }
  Tensors inputs() const override { return {a_.real}; }

  Tensors parameters() const override {
    Tensors all = both(a_.translate, b_.translate);
    for (const Tensor& parameter : both(a_.judge, b_.judge)) all.push_back(parameter);
    return all;
  }

 private:
  static Tensors both(const std::shared_ptr<Chain>& one, const std::shared_ptr<Chain>& other) {
    Tensors all = one->parameters();
    for (const Tensor& parameter : other->parameters()) all.push_back(parameter);
    return all;
  }

  void train() {
    const Tensor fake_b = a_.translate->forward(a_.real);
    const Tensor again_a = b_.translate->forward(fake_b);
    const Tensor fake_a = b_.translate->forward(b_.real);
    const Tensor again_b = a_.translate->forward(fake_a);

    for (Side* side : {&a_, &b_}) require_gradients(*side->judge, false);
    zero_gradients(*step_generators_);
    const Tensor loss = generators_loss(fake_b, again_a, fake_a, again_b);
    loss.backward();
    take_step(*step_generators_);

    for (Side* side : {&a_, &b_}) require_gradients(*side->judge, true);
    zero_gradients(*step_discriminators_);
    const Tensor loss_a = train_judge(a_, b_.real, fake_b), loss_b = train_judge(b_, a_.real, fake_a);
    take_step(*step_discriminators_);
    results_ = {loss.detach(), loss_a, loss_b};
  }

  // Convince the discriminators, return to the start, and do not change a picture that is already of the right kind.
  Tensor generators_loss(const Tensor& fake_b, const Tensor& again_a, const Tensor& fake_a, const Tensor& again_b) {
    constexpr double cycle = 10.0, identity = 0.5;
    const Tensor same_b = torch::l1_loss(a_.translate->forward(b_.real), b_.real) * cycle * identity;
    const Tensor same_a = torch::l1_loss(b_.translate->forward(a_.real), a_.real) * cycle * identity;
    const Tensor convinced_a = judged(a_.judge->forward(fake_b), 1.0);
    const Tensor convinced_b = judged(b_.judge->forward(fake_a), 1.0);
    return convinced_a + convinced_b + torch::l1_loss(again_a, a_.real) * cycle +
           torch::l1_loss(again_b, b_.real) * cycle + same_b + same_a;
  }

  static Tensor train_judge(Side& side, const Tensor& real, const Tensor& fake) {
    const Tensor older = side.fakes.query(fake);
    const Tensor loss = (judged(side.judge->forward(real), 1.0) + judged(side.judge->forward(older), 0.0)) * 0.5;
    loss.backward();
    return loss.detach();
  }

  bool training_;
  Side a_;  // from horses to zebras
  Side b_;  // and back
  std::unique_ptr<torch::optim::Adam> step_generators_, step_discriminators_;
  Tensors results_;
};

std::unique_ptr<Workload> make(const Setup& setup) {
  return std::make_unique<CycleGan>(setup, by_size<Shape>(setup, {.width = 64, .side = 256}, {.width = 8, .side = 64}));
}

}  // namespace

std::vector<Benchmark> benchmarks() {
  return {{.name = "pytorch_CycleGAN_and_pix2pix",
           .domain = "computer vision",
           .task = "image generation",
           .source = "junyanz/pytorch-CycleGAN-and-pix2pix",
           .parameters = 28285832,
           .paper_batch = {.train = 1, .infer = 1},
           .ci_batch = {.train = 1, .infer = 8},
           .make = make}};
}

}  // namespace tbci::suite::models::cyclegan
