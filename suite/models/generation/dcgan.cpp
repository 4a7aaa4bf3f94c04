// dcgan: Radford et al., Unsupervised Representation Learning with Deep Convolutional Generative Adversarial Networks
// (2015). Training does five times the step of the discriminator and that of the generator; inference is the
// discriminator's, as in TorchBench.
#include "suite/blocks/standard_workload.hpp"

namespace tbci::suite::models::dcgan {
namespace {

constexpr std::int64_t latent = 100;
constexpr std::int64_t side = 64;

torch::nn::ConvTranspose2d up(std::int64_t in, std::int64_t out, std::int64_t stride, std::int64_t padding) {
  return torch::nn::ConvTranspose2d(
      torch::nn::ConvTranspose2dOptions(in, out, 4).stride(stride).padding(padding).bias(false));
}

torch::nn::Conv2d down(std::int64_t in, std::int64_t out, std::int64_t stride, std::int64_t padding) {
  return torch::nn::Conv2d(torch::nn::Conv2dOptions(in, out, 4).stride(stride).padding(padding).bias(false));
}

torch::nn::Sequential generator(std::int64_t width) {
  torch::nn::Sequential layers;
  std::int64_t channels = latent;
  for (const std::int64_t factor : {8, 4, 2, 1}) {
    const bool first = channels == latent && factor == 8;
    layers->push_back(up(channels, width * factor, first ? 1 : 2, first ? 0 : 1));
    layers->push_back(torch::nn::BatchNorm2d(width * factor));
    layers->push_back(torch::nn::ReLU(torch::nn::ReLUOptions().inplace(true)));
    channels = width * factor;
  }
  layers->push_back(up(channels, 3, 2, 1));
  layers->push_back(torch::nn::Tanh());
  return layers;
}

torch::nn::Sequential discriminator(std::int64_t width) {
  const auto leaky = torch::nn::LeakyReLUOptions().negative_slope(0.2).inplace(true);
  torch::nn::Sequential layers(down(3, width, 2, 1), torch::nn::LeakyReLU(leaky));
  for (const std::int64_t factor : {2, 4, 8}) {
    layers->push_back(down(width * factor / 2, width * factor, 2, 1));
    layers->push_back(torch::nn::BatchNorm2d(width * factor));
    layers->push_back(torch::nn::LeakyReLU(leaky));
  }
  layers->push_back(down(width * 8, 1, 1, 0));
  layers->push_back(torch::nn::Sigmoid());
  return layers;
}

void initialise(torch::nn::Module& network) {
  for (auto& parameter : network.named_parameters()) {
    const bool of_norm = parameter.value().dim() == 1;
    const bool bias = parameter.key().find("bias") != std::string::npos;
    if (bias)
      torch::nn::init::zeros_(parameter.value());
    else
      torch::nn::init::normal_(parameter.value(), of_norm ? 1.0 : 0.0, 0.02);
  }
}

struct Shape {
  std::int64_t width;
  int steps;  // of training, in an iteration
};

class Dcgan final : public Workload {
 public:
  Dcgan(const Setup& setup, const Shape& shape)
      : setup_(setup),
        steps_(shape.steps),
        generator_(generator(shape.width)),
        discriminator_(discriminator(shape.width)) {
    const bool training = setup.mode == Mode::train;
    for (torch::nn::Sequential* network : {&generator_, &discriminator_}) {
      initialise(**network);
      (*network)->to(setup.device);
      (*network)->train(training);
    }
    images_ = torch::randn({setup.batch, 3, side, side}, torch::TensorOptions().device(setup.device));
    if (!training) return;
    const auto options = torch::optim::AdamOptions(2e-4).betas({0.5, 0.999});
    step_generator_ = std::make_unique<torch::optim::Adam>(generator_->parameters(), options);
    step_discriminator_ = std::make_unique<torch::optim::Adam>(discriminator_->parameters(), options);
  }

  void iterate() override {
    if (setup_.mode == Mode::train) {
      for (int i = 0; i < steps_; ++i) train();
    } else {
      const torch::NoGradGuard no_gradients;
      results_ = {judge(images_)};
    }
  }

  Tensors results() const override { return results_; }

  Tensors parameters() const override {
    Tensors all = discriminator_->parameters();
    for (const torch::Tensor& parameter : generator_->parameters()) all.push_back(parameter);
    return all;
  }

  // Only the discriminator runs in inference.
  std::shared_ptr<torch::nn::Module> module() const override { return discriminator_.ptr(); }
  Tensors inputs() const override { return {images_}; }

 private:
  torch::Tensor judge(const torch::Tensor& images) { return discriminator_->forward(images).view(-1); }

  torch::Tensor loss(const torch::Tensor& verdict, double label) {
    return torch::binary_cross_entropy(verdict, torch::full_like(verdict, label));
  }

  void train() {
    const auto options = torch::TensorOptions().device(setup_.device);
    zero_gradients(*discriminator_);
    torch::Tensor loss_real = loss(judge(images_), 1.0);
    loss_real.backward();
    torch::Tensor fake = generator_->forward(torch::randn({setup_.batch, latent, 1, 1}, options));
    torch::Tensor loss_fake = loss(judge(fake.detach()), 0.0);
    loss_fake.backward();
    take_step(*step_discriminator_);

    zero_gradients(*generator_);
    torch::Tensor loss_generator = loss(judge(fake), 1.0);
    loss_generator.backward();
    take_step(*step_generator_);
    results_ = {(loss_real + loss_fake).detach()};  // the generator's loss rises while the discriminator learns
  }

  Setup setup_;
  int steps_;
  torch::nn::Sequential generator_;
  torch::nn::Sequential discriminator_;
  std::unique_ptr<torch::optim::Adam> step_generator_;
  std::unique_ptr<torch::optim::Adam> step_discriminator_;
  torch::Tensor images_;
  std::vector<torch::Tensor> results_;
};

}  // namespace

std::vector<Benchmark> benchmarks() {
  const auto make = [](const Setup& setup) {
    return std::make_unique<Dcgan>(setup, by_size<Shape>(setup, {.width = 64, .steps = 5}, {.width = 16, .steps = 1}));
  };
  return {{.name = "dcgan",
           .domain = "computer vision",
           .task = "image generation",
           .source = "pytorch/examples",
           .parameters = 6342272,
           .paper_batch = {.train = 32, .infer = 256},
           .ci_batch = {.train = 4, .infer = 128},
           .make = make}};
}

}  // namespace tbci::suite::models::dcgan
