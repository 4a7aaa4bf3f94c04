// public_image_generator1 (pytorch_stargan): Choi et al., StarGAN: Unified Generative Adversarial Networks for
// Multi-Domain Image-to-Image Translation (2018), in the author's implementation. One iteration of training is the
// critic's step with gradient penalty, as TorchBench runs it: the generator's turn is each fifth iteration, and it runs
// one. Inference is the generator's.
#include "suite/blocks/chain.hpp"
#include "suite/blocks/standard_workload.hpp"

namespace tbci::suite::models::stargan {
namespace {

using torch::Tensor;

constexpr std::int64_t attributes = 5;    // black, blond, brown hair; male; young
constexpr std::int64_t hair_colours = 3;  // the first of them, one of which holds

struct Shape {
  std::int64_t width;
  std::int64_t side;
};

std::shared_ptr<Chain> residual_block(const std::int64_t width) {
  auto layers = chain();
  layers->conv({width, width, 3, 1, 1, false}).tracked_instance_norm(width).relu();
  layers->conv({width, width, 3, 1, 1, false}).tracked_instance_norm(width);
  return layers;
}

class Generator : public torch::nn::Module {
 public:
  explicit Generator(const std::int64_t width) : layers_(register_module("main", chain())) {
    layers_->conv({3 + attributes, width, 7, 1, 3, false}).tracked_instance_norm(width).relu();
    for (const std::int64_t in : {width, 2 * width}) {
      layers_->conv({in, 2 * in, 4, 2, 1, false}).tracked_instance_norm(2 * in).relu();
    }
    for (int i = 0; i < 6; ++i) layers_->residual(residual_block(4 * width));
    for (const std::int64_t out : {2 * width, width}) {
      layers_->conv_transposed({2 * out, out, 4, 2, 1, false}).tracked_instance_norm(out).relu();
    }
    layers_->conv({width, 3, 7, 1, 3, false}).tanh();
  }

  // Each pixel gets the wanted attributes as further channels.
  Tensor forward(const Tensor& images, const Tensor& wanted) {
    const Tensor everywhere =
        wanted.view({wanted.size(0), attributes, 1, 1}).repeat({1, 1, images.size(2), images.size(3)});
    return layers_->forward(torch::cat({images, everywhere}, 1));
  }

 private:
  std::shared_ptr<Chain> layers_;
};

struct Verdict {
  Tensor real;        // per patch
  Tensor attributes;  // as logits
};

class Discriminator : public torch::nn::Module {
 public:
  explicit Discriminator(const Shape& shape) : layers_(register_module("main", chain())) {
    const auto leaky = [](const Tensor& x) { return torch::leaky_relu(x, 0.01); };
    layers_->conv({3, shape.width, 4, 2, 1}).function(leaky);
    std::int64_t channels = shape.width, side = shape.side / 2;
    for (; side > shape.side / 64; side /= 2, channels *= 2) {
      layers_->conv({channels, 2 * channels, 4, 2, 1}).function(leaky);
    }
    const auto head = [&](std::int64_t out, std::int64_t kernel, std::int64_t padding) {
      return torch::nn::Conv2d(torch::nn::Conv2dOptions(channels, out, kernel).padding(padding).bias(false));
    };
    real_ = register_module("conv1", head(1, 3, 1));
    attributes_ = register_module("conv2", head(attributes, side, 0));
  }

  Verdict forward(const Tensor& images) {
    const Tensor features = layers_->forward(images);
    return {real_->forward(features), attributes_->forward(features).view({images.size(0), attributes})};
  }

 private:
  std::shared_ptr<Chain> layers_;
  torch::nn::Conv2d real_{nullptr}, attributes_{nullptr};
};

// How far the norm of the verdict's gradient, image by image, is from one.
Tensor gradient_penalty(const Tensor& verdict, const Tensor& images) {
  const Tensor gradient = torch::autograd::grad({verdict}, {images}, {torch::ones_like(verdict)}, /*retain_graph=*/true,
                                                /*create_graph=*/true)[0];
  const Tensor norms = torch::sqrt(torch::sum(gradient.view({images.size(0), -1}).pow(2), 1));
  return torch::mean((norms - 1).pow(2));
}

Tensor wrong_attributes(const Tensor& logits, const Tensor& truth) {
  return torch::binary_cross_entropy_with_logits(logits, truth, {}, {}, at::Reduction::Sum) / logits.size(0);
}

class StarGan final : public Workload {
 public:
  StarGan(const Setup& setup, const Shape& shape)
      : training_(setup.mode == Mode::train),
        generator_(std::make_shared<Generator>(shape.width)),
        discriminator_(std::make_shared<Discriminator>(shape)) {
    for (const std::shared_ptr<torch::nn::Module>& network :
         {std::shared_ptr<torch::nn::Module>(generator_), std::shared_ptr<torch::nn::Module>(discriminator_)}) {
      network->to(setup.device);
      network->train(training_);
    }
    images_ = (2 * torch::rand({setup.batch, 3, shape.side, shape.side}) - 1).to(setup.device);
    labels_ = torch::randint(2, {setup.batch, attributes}).to(torch::kFloat);
    black_haired_ = labels_.clone();
    black_haired_.slice(1, 0, hair_colours).fill_(0);
    black_haired_.select(1, 0).fill_(1);
    labels_ = labels_.to(setup.device);
    black_haired_ = black_haired_.to(setup.device);
    if (!training_) return;
    const auto options = torch::optim::AdamOptions(1e-4).betas({0.5, 0.999});
    step_discriminator_ = std::make_unique<torch::optim::Adam>(discriminator_->parameters(), options);
  }

  void iterate() override {
    if (training_) {
      train();
    } else {
      const torch::NoGradGuard no_gradients;
      results_ = {generator_->forward(images_, black_haired_)};
    }
  }

  Tensors results() const override { return results_; }
  std::shared_ptr<torch::nn::Module> module() const override { return generator_; }
  Tensors inputs() const override { return {images_, black_haired_}; }

  Tensors parameters() const override {
    Tensors all = discriminator_->parameters();
    for (const Tensor& parameter : generator_->parameters()) all.push_back(parameter);
    return all;
  }

 private:
  void train() {
    const Tensor order = torch::randperm(labels_.size(0), torch::TensorOptions(torch::kLong).device(labels_.device()));
    const Tensor wanted = labels_.index({order});

    const Verdict of_real = discriminator_->forward(images_);
    const Tensor loss_real = -torch::mean(of_real.real);
    const Tensor loss_attributes = wrong_attributes(of_real.attributes, labels_);

    const Tensor fake = generator_->forward(images_, wanted);
    const Tensor loss_fake = torch::mean(discriminator_->forward(fake.detach()).real);

    const Tensor part = torch::rand({images_.size(0), 1, 1, 1}, images_.options());
    const Tensor between = (part * images_ + (1 - part) * fake.detach()).requires_grad_(true);
    const Tensor penalty = gradient_penalty(discriminator_->forward(between).real, between);

    const Tensor loss = loss_real + loss_fake + 1.0 * loss_attributes + 10.0 * penalty;
    zero_gradients(*discriminator_);
    zero_gradients(*generator_);
    loss.backward();
    take_step(*step_discriminator_);
    results_ = {loss.detach()};
  }

  bool training_;
  std::shared_ptr<Generator> generator_;
  std::shared_ptr<Discriminator> discriminator_;
  std::unique_ptr<torch::optim::Adam> step_discriminator_;
  Tensor images_, labels_, black_haired_;
  Tensors results_;
};

std::unique_ptr<Workload> make(const Setup& setup) {
  return std::make_unique<StarGan>(setup, by_size<Shape>(setup, {.width = 64, .side = 128}, {.width = 8, .side = 64}));
}

}  // namespace

std::vector<Benchmark> benchmarks() {
  return {{.name = "public_image_generator1",
           .domain = "computer vision",
           .task = "image generation",
           .source = "yunjey/stargan",
           .parameters = 53192576,
           .paper_batch = {.train = 16, .infer = 16},
           .ci_batch = {.train = 4, .infer = 8},
           .make = make}};
}

}  // namespace tbci::suite::models::stargan
