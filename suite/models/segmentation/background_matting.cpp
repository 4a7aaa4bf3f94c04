// Background_Matting: Sengupta et al., Background Matting: The World is Your Green Screen (2020), in the authors'
// implementation, in the training on real videos: a student learns from a frozen teacher and from a discriminator that
// looks at the person before another background.
#include <cmath>

#include "suite/blocks/networks/patch_discriminator.hpp"
#include "suite/blocks/standard_workload.hpp"

namespace tbci::suite::models::background_matting {
namespace {

using torch::Tensor;

struct Shape {
  std::int64_t width;
  std::int64_t side;
};

struct Scene {
  Tensor image, background, guide, neighbours;  // the student's inputs; neighbours in time, grey
  Tensor person;                                // where it is
  Tensor other_background;
};

struct Matte {
  Tensor alpha, foreground;
};

std::shared_ptr<Chain> residual_blocks(const int count, const std::int64_t width) {
  auto blocks = chain();
  for (int i = 0; i < count; ++i) {
    auto layers = chain();
    layers->pad_by_reflection(1).conv({width, width, 3}).batch_norm(width).relu();
    layers->pad_by_reflection(1).conv({width, width, 3}).batch_norm(width);
    blocks->residual(layers);
  }
  return blocks;
}

std::shared_ptr<Chain> encoder(const std::int64_t in, const std::int64_t width, const int halvings) {
  auto layers = chain();
  layers->pad_by_reflection(3).conv({in, width, 7}).batch_norm(width).relu();
  for (int i = 0; i < halvings; ++i) {
    const std::int64_t channels = width << i;
    layers->conv({channels, 2 * channels, 3, 2, 1}).batch_norm(2 * channels).relu();
  }
  return layers;
}

class Matting : public torch::nn::Module {
 public:
  explicit Matting(const std::int64_t w) {
    image_ = register_module("model_enc1", encoder(3, w, 1));
    image_low_ = register_module("model_enc2", chain());
    image_low_->conv({2 * w, 4 * w, 3, 2, 1}).batch_norm(4 * w).relu();
    background_ = register_module("model_enc_back", encoder(3, w, 2));
    guide_ = register_module("model_enc_seg", encoder(1, w, 2));
    neighbours_ = register_module("model_enc_multi", encoder(4, w, 2));
    const auto combine = [&](const char* name, std::int64_t in, std::int64_t out) {
      auto layers = register_module(name, chain());
      layers->conv({in, out, 1, 1, 0, false}).batch_norm(out).relu();
      return layers;
    };
    with_background_ = combine("comb_back", 8 * w, w);
    with_guide_ = combine("comb_seg", 8 * w, w);
    with_neighbours_ = combine("comb_multi", 8 * w, w);

    decode_ = register_module("model_res_dec", chain());
    decode_->conv({7 * w, 4 * w, 1, 1, 0, false}).batch_norm(4 * w).relu().add(residual_blocks(7, 4 * w));
    decode_alpha_ = register_module("model_res_dec_al", residual_blocks(3, 4 * w));
    decode_foreground_ = register_module("model_res_dec_fg", residual_blocks(3, 4 * w));
    alpha_ = register_module("model_al_out", chain());
    alpha_->upsample_bilinear().conv({4 * w, 2 * w, 3, 1, 1}).batch_norm(2 * w).relu();
    alpha_->upsample_bilinear().conv({2 * w, w, 3, 1, 1}).batch_norm(w).relu();
    alpha_->pad_by_reflection(3).conv({w, 1, 7}).tanh();
    foreground_low_ = register_module("model_dec_fg1", chain());
    foreground_low_->upsample_bilinear().conv({4 * w, 2 * w, 3, 1, 1}).batch_norm(2 * w).relu();
    foreground_ = register_module("model_fg_out", chain());
    foreground_->upsample_bilinear().conv({4 * w, w, 3, 1, 1}).batch_norm(w).relu();
    foreground_->pad_by_reflection(3).conv({w, 3, 7});
  }

  Matte forward(const Scene& scene) {
    const Tensor high = image_->forward(scene.image);
    const Tensor image = image_low_->forward(high);
    const Tensor background = background_->forward(scene.background);
    const Tensor guide = guide_->forward(scene.guide);
    neighbours_->forward(scene.neighbours);  // its features are not used: the original takes the background's instead
    const auto with = [&](Chain& combine, const Tensor& other) {
      return combine.forward(torch::cat({image, other}, 1));
    };
    const Tensor others = torch::cat(
        {with(*with_background_, background), with(*with_guide_, guide), with(*with_neighbours_, background)}, 1);
    const Tensor decoded = decode_->forward(torch::cat({image, others}, 1));
    const Tensor alpha = alpha_->forward(decode_alpha_->forward(decoded));
    const Tensor low = foreground_low_->forward(decode_foreground_->forward(decoded));
    return {alpha, foreground_->forward(torch::cat({low, high}, 1))};
  }

 private:
  std::shared_ptr<Chain> image_, image_low_, background_, guide_, neighbours_;
  std::shared_ptr<Chain> with_background_, with_guide_, with_neighbours_;
  std::shared_ptr<Chain> decode_, decode_alpha_, decode_foreground_, alpha_, foreground_low_, foreground_;
};

void initialise(torch::nn::Module& network) {
  for (auto& named : network.named_parameters()) {
    Tensor& parameter = named.value();
    if (parameter.dim() > 1)
      torch::nn::init::xavier_uniform_(parameter, std::sqrt(2.0));
    else if (named.key().find("bias") != std::string::npos)
      torch::nn::init::zeros_(parameter);
    else
      torch::nn::init::normal_(parameter, 1.0, 0.2);
  }
}

// Per sample: the differences within the mask, relative to the mask's area; nothing where the mask is empty.
Tensor masked_distance(const Tensor& truth, const Tensor& guess, const Tensor& mask) {
  Tensor loss = torch::zeros({}, truth.options());
  for (std::int64_t i = 0; i < truth.size(0); ++i) {
    const Tensor area = mask[i].sum();
    if (area.item<float>() <= 0.0F) continue;
    loss = loss + torch::sum(torch::abs(truth[i] * mask[i] - guess[i] * mask[i])) / (area + 1e-6);
  }
  return loss / truth.size(0);
}

Tensor distance_of_edges(const Tensor& truth, const Tensor& guess, const Tensor& mask) {
  const Tensor along =
      torch::tensor({1.F, 0.F, -1.F, 2.F, 0.F, -2.F, 1.F, 0.F, -1.F}, truth.options()).view({1, 1, 3, 3});
  const Tensor across = along.transpose(2, 3).contiguous();
  const auto edges = [](const Tensor& x, const Tensor& kernel) { return torch::conv2d(x, kernel, {}, 1, 1); };
  return masked_distance(edges(truth, along), edges(guess, along), mask) +
         masked_distance(edges(truth, across), edges(guess, across), mask);
}

// The person shifted sideways by a random number of pixels that leaves it in the picture, before a background. No
// gradient goes through, as in the original (its torch.autograd.Variable cuts it off).
Tensor composed(const Matte& matte, const Scene& scene, const Tensor& background) {
  constexpr std::int64_t margin = 10;
  Tensor images = torch::zeros_like(matte.foreground);
  const std::int64_t width = images.size(3);
  for (std::int64_t i = 0; i < images.size(0); ++i) {
    const Tensor columns = (((scene.guide[i][0] + 1) / 2) > 0.1).nonzero().select(1, 1);
    const auto left = columns.min().item<std::int64_t>(), right = columns.max().item<std::int64_t>();
    const auto shift = torch::randint(margin - left, width - right - margin, {1}).item<std::int64_t>();
    const std::int64_t cut = (width - shift) % width;
    const auto shifted = [&](const Tensor& x) { return torch::cat({x.slice(2, cut), x.slice(2, 0, cut)}, 2); };
    const Tensor alpha = (shifted(matte.alpha[i]) + 1) / 2;
    images[i] = shifted(matte.foreground[i]) * alpha + (1 - alpha) * background[i];
  }
  return images.detach();
}

Tensor judged(const Tensor& verdict, const bool real) {
  return torch::mse_loss(verdict, real ? torch::ones_like(verdict) : torch::zeros_like(verdict));
}

Scene scene(const std::int64_t batch, const std::int64_t side, const torch::Device device) {
  const auto picture = [&](std::int64_t channels) {
    return (2 * torch::rand({batch, channels, side, side}) - 1).to(device);
  };
  // A person is a blurred rectangle in the middle.
  Tensor person = torch::full({batch, 1, side, side}, -1.0);
  person.slice(2, side / 4).slice(3, 3 * side / 8, 5 * side / 8).fill_(1.0);
  const Tensor guide = torch::avg_pool2d(person, 5, 1, 2, /*ceil_mode=*/false, /*count_include_pad=*/false);
  return {picture(3), picture(3), guide.to(device), picture(4), person.to(device), picture(3)};
}

class BackgroundMatting final : public Workload {
 public:
  BackgroundMatting(const Setup& setup, const Shape& shape)
      : training_(setup.mode == Mode::train),
        teacher_(std::make_shared<Matting>(shape.width)),
        student_(std::make_shared<Matting>(shape.width)),
        discriminator_(patch_discriminator({.width = shape.width, .padding = 2})) {
    initialise(*student_);
    initialise(*discriminator_);
    for (Tensor& parameter : teacher_->parameters()) parameter.requires_grad_(false);
    teacher_->eval();
    teacher_->to(setup.device);
    student_->train(training_);
    student_->to(setup.device);
    discriminator_->to(setup.device);
    scene_ = scene(setup.batch, shape.side, setup.device);
    if (!training_) return;
    step_student_ = adam(student_->parameters(), 1e-4);
    step_discriminator_ = adam(discriminator_->parameters(), 1e-5);
  }

  // TorchBench runs training only; what inference does here is for comparing the student with its original.
  void iterate() override {
    if (training_) {
      train();
    } else {
      const torch::NoGradGuard no_gradients;
      const Matte matte = student_->forward(scene_);
      results_ = {matte.alpha, matte.foreground};
    }
  }

  Tensors results() const override { return results_; }
  std::shared_ptr<torch::nn::Module> module() const override { return student_; }
  Tensors inputs() const override { return {scene_.image, scene_.background, scene_.guide, scene_.neighbours}; }

  Tensors parameters() const override {
    Tensors all = student_->parameters();
    for (const Tensor& parameter : discriminator_->parameters()) all.push_back(parameter);
    return all;
  }

 private:
  void train() {
    const Tensor everywhere = torch::ones_like(scene_.guide);
    const Matte taught = teacher_->forward(scene_);
    const Tensor visible = (taught.alpha > -0.98).to(torch::kFloat);
    const Tensor sure = (scene_.person > 0.95).to(torch::kFloat);

    const Matte matte = student_->forward(scene_);
    const Tensor loss_alpha = masked_distance(taught.alpha, matte.alpha, everywhere) +
                              0.5 * distance_of_edges(taught.alpha, matte.alpha, everywhere);
    const Tensor loss_foreground = masked_distance(taught.foreground, matte.foreground, visible);
    const Tensor alpha = (matte.alpha + 1) / 2;
    const Tensor composition = matte.foreground * alpha + (1 - alpha) * scene_.background;
    const Tensor loss_composition = masked_distance(scene_.image, composition, sure);

    const Tensor image = before_another_background(matte);
    const Tensor loss_convincing = judged(discriminator_->forward(image), true);
    const Tensor loss = loss_convincing + (0.05 * loss_composition + 0.05 * loss_alpha + 0.05 * loss_foreground);
    zero_gradients(*step_student_);
    loss.backward();
    take_step(*step_student_);

    const Tensor loss_fake = judged(discriminator_->forward(image), false);
    const Tensor loss_real = judged(discriminator_->forward(scene_.image), true);
    const Tensor loss_discriminator = (loss_real + loss_fake) * 0.5;
    zero_gradients(*step_discriminator_);
    loss_discriminator.backward();
    take_step(*step_discriminator_);
    results_ = {loss.detach(), loss_discriminator.detach()};
  }

  Tensor before_another_background(const Matte& matte) {
    const Tensor order = torch::randperm(scene_.image.size(0)).to(scene_.image.device());
    Tensor background = scene_.background.index({order});
    const Tensor opaque = (matte.alpha > 0.95).to(torch::kFloat);
    if (torch::rand({1}).item<double>() > 0.5) background = scene_.other_background;
    const Tensor foreground = scene_.image * opaque + matte.foreground * (1 - opaque);
    return composed({matte.alpha, foreground}, scene_, background);
  }

  bool training_;
  std::shared_ptr<Matting> teacher_, student_;
  std::shared_ptr<Chain> discriminator_;
  std::unique_ptr<torch::optim::Optimizer> step_student_, step_discriminator_;
  Scene scene_;
  Tensors results_;
};

std::unique_ptr<Workload> make(const Setup& setup) {
  return std::make_unique<BackgroundMatting>(
      setup, by_size<Shape>(setup, {.width = 64, .side = 512}, {.width = 4, .side = 64}));
}

}  // namespace

std::vector<Benchmark> benchmarks() {
  return {{.name = "Background_Matting",
           .domain = "computer vision",
           .task = "pattern recognition",
           .source = "senguptaumd/Background-Matting",
           .parameters = 20673157,
           .paper_batch = {.train = 4, .infer = 1},
           .ci_batch = {.train = 2, .infer = 2},
           .make = make,
           .differs = "the frozen teacher has random weights of its own; no logging and no checkpoint, which the "
                      "original writes in each iteration",
           .modes = {.infer = false}}};
}

}  // namespace tbci::suite::models::background_matting
