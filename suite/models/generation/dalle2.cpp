// public_image_generator2 (DALLE2_pytorch): Ramesh et al., Hierarchical Text-Conditional Image Generation with CLIP
// Latents (2022), in the form of lucidrains/DALLE2-pytorch. A prior turns a text into the CLIP embedding of an image, a
// decoder of two U-Nets makes the image, small and then large; each is a diffusion of one step, as in TorchBench.
// Training computes the gradients of all three and takes no step.
#include <cmath>

#include <ATen/CPUGeneratorImpl.h>

#include "suite/blocks/images.hpp"
#include "suite/blocks/networks/clip.hpp"
#include "suite/blocks/networks/dalle2_unet.hpp"
#include "suite/blocks/standard_workload.hpp"
#include "suite/variants.hpp"

namespace tbci::suite::models::dalle2 {
namespace {

using namespace suite::dalle2;

struct Shape {
  ClipShape clip;
  PriorShape prior;
  UnetShape small, large;
  std::int64_t small_side, large_side;
};

constexpr std::int64_t steps = 1;  // of each diffusion
constexpr double drop_in_prior = 0.2, drop_image = 0.1, drop_text = 0.5;

Tensor to_signed(const Tensor& images) {
  return images * 2 - 1;
}
Tensor to_unsigned(const Tensor& images) {
  return (images + 1) * 0.5;
}

// CLIP as the other networks see it, frozen.
class Describer {
 public:
  Describer(std::shared_ptr<Clip> clip, const ClipShape& shape) : clip_(std::move(clip)), shape_(shape) {}

  TextCondition text(const Tensor& all_words) const {
    const torch::NoGradGuard no_gradients;
    const Tensor words = all_words.slice(1, 0, shape_.words);
    const Tensor before_end = (words == shape_.vocabulary - 1).cumsum(-1) == 0;
    const Tensor real = torch::constant_pad_nd(before_end, {1, -1}, true).logical_and(words != 0);
    const Clip::Text text = clip_->encode_text(words);
    return {unit(text.embedding), text.words.masked_fill(real.logical_not().unsqueeze(2), 0.0)};
  }

  Tensor image(const Tensor& images) const {
    const torch::NoGradGuard no_gradients;
    const Tensor mean = torch::tensor({0.48145466F, 0.4578275F, 0.40821073F}, images.options()).view({3, 1, 1});
    const Tensor deviation = torch::tensor({0.26862954F, 0.26130258F, 0.27577711F}, images.options()).view({3, 1, 1});
    return unit(clip_->encode_image((resize_cubic(images, shape_.side) - mean) / deviation));
  }

 private:
  std::shared_ptr<Clip> clip_;
  ClipShape shape_;
};

// What is left after one step back from `noised`, by what the network says; noise is added but in the last step.
Tensor step_back(const Tensor& noised, const Tensor& times, const Schedule::Posterior& posterior) {
  const Tensor noise = torch::randn_like(noised);
  std::vector<std::int64_t> shape(static_cast<std::size_t>(noised.dim()), 1);
  shape[0] = noised.size(0);
  const Tensor not_last = (1 - (times == 0).to(noised.dtype())).reshape(shape);
  return posterior.mean + not_last * (0.5 * posterior.log_variance).exp() * noise;
}

Tensor time_of(const std::int64_t step, const Tensor& like) {
  return torch::full({like.size(0)}, step, like.options().dtype(torch::kLong));
}

// By how many bits the first normal distribution differs from the second, on average in each sample.
Tensor bits_between(const Schedule::Posterior& a, const Schedule::Posterior& b) {
  const Tensor kl = 0.5 * (-1.0 + b.log_variance - a.log_variance + torch::exp(a.log_variance - b.log_variance) +
                           (a.mean - b.mean).pow(2) * torch::exp(-b.log_variance));
  return kl.mean({1, 2, 3}) / std::log(2.0);
}

// How many bits the images take, of 256 shades, by a normal distribution; on average in each sample.
Tensor bits_of(const Tensor& images, const Schedule::Posterior& distribution) {
  const Tensor inverse = torch::exp(-0.5 * distribution.log_variance), centred = images - distribution.mean;
  const auto below = [](const Tensor& x) {  // an approximation of the normal distribution function
    return 0.5 * (1.0 + torch::tanh(std::sqrt(2.0 / 3.14159265358979323846) * (x + 0.044715 * x.pow(3))));
  };
  const auto log = [](const Tensor& x) { return torch::log(x.clamp_min(1e-12)); };
  const Tensor upper = below(inverse * (centred + 1.0 / 255.0)), lower = below(inverse * (centred - 1.0 / 255.0));
  const Tensor inside = torch::where(images > 0.999, log(1.0 - lower), log(upper - lower));
  return -torch::where(images < -0.999, log(upper), inside).mean({1, 2, 3}) / std::log(2.0);
}

// A U-Net with its diffusion.
class Stage : public torch::nn::Module {
 public:
  Stage(const UnetShape& shape, const std::int64_t side)
      : side_(side),
        learns_variance_(shape.first),
        unet_(register_module("unet", std::make_shared<Unet>(shape))),
        schedule_(register_module(
            "schedule",
            std::make_shared<Schedule>(shape.first ? Schedule::Kind::cosine : Schedule::Kind::linear, steps))) {}

  Tensor sample(const Conditions& conditions, const std::int64_t batch, const torch::TensorOptions& options) {
    Tensor image = torch::randn({batch, 3, side_, side_}, options);
    for (std::int64_t step = schedule_->steps(); step-- > 0;) {
      const Tensor times = time_of(step, image);
      const Tensor output = unet_->forward(image, times, conditions);
      image = step_back(image, times, posterior(output, image, times, /*clamp=*/true));
    }
    return to_unsigned(image);
  }

  void move_unet(const torch::Device& to) { unet_->to(to); }

  Tensor loss(const Tensor& images, const Conditions& conditions) {
    const Tensor times = schedule_->random_times(images.size(0)), noise = torch::randn_like(images);
    const Tensor start = to_signed(images);
    const Tensor noised = schedule_->noised(start, times, noise);
    const Tensor output = unet_->forward(noised, times, conditions);
    const Tensor simple =
        torch::mse_loss(predicted_noise(output), noise, at::Reduction::None).flatten(1).mean(1).mean();
    if (!learns_variance_) return simple;

    const Schedule::Posterior truth = schedule_->posterior(start, noised, times);
    Schedule::Posterior guess = posterior(output, noised, times, /*clamp=*/false);
    guess.mean = guess.mean.detach();
    const Tensor bits = torch::where(times == 0, bits_of(start, guess), bits_between(truth, guess));
    return simple + bits.mean() * 0.001;
  }

 private:
  Tensor predicted_noise(const Tensor& output) const { return learns_variance_ ? output.chunk(2, 1)[0] : output; }

  Schedule::Posterior posterior(const Tensor& output, const Tensor& noised, const Tensor& times, const bool clamp) {
    Tensor start = schedule_->start_from_noise(noised, times, predicted_noise(output));
    if (clamp) start = start.clamp(-1.0, 1.0) / 1.0;
    Schedule::Posterior posterior = schedule_->posterior(start, noised, times);
    if (!learns_variance_) return posterior;
    const Tensor part = to_unsigned(output.chunk(2, 1)[1]);  // from the smallest variance to the largest
    posterior.log_variance =
        part * schedule_->largest_log_variance(times, noised) + (1 - part) * posterior.log_variance;
    return posterior;
  }

  std::int64_t side_;
  bool learns_variance_;
  std::shared_ptr<Unet> unet_;
  std::shared_ptr<Schedule> schedule_;
};

class Dalle2 : public torch::nn::Module {
 public:
  explicit Dalle2(const Shape& shape)
      : shape_(shape),
        clip_(register_module("clip", std::make_shared<Clip>(shape.clip))),
        describe_(clip_, shape.clip),
        prior_(register_module("prior", std::make_shared<Prior>(shape.prior))),
        schedule_(register_module("schedule", std::make_shared<Schedule>(Schedule::Kind::cosine, steps))),
        small_(register_module("small", std::make_shared<Stage>(shape.small, shape.small_side))),
        large_(register_module("large", std::make_shared<Stage>(shape.large, shape.large_side))),
        embedding_scale_(std::sqrt(static_cast<double>(shape.prior.width))) {
    for (Tensor& parameter : clip_->parameters()) parameter.requires_grad_(false);
  }

  Tensor images(const Tensor& words) {
    Conditions conditions;
    conditions.image_embedding = image_embedding(words);
    conditions.words = describe_.text(words).words;
    const auto options = conditions.image_embedding.options();
    only_on_device(*small_, *large_, words.device());
    const Tensor small = small_->sample(conditions, words.size(0), options);
    conditions.smaller_image = to_signed(resize_nearest(small, shape_.large_side).clamp(0, 1));
    only_on_device(*large_, *small_, words.device());
    return large_->sample(conditions, words.size(0), options);
  }

  Tensor loss_of_prior(const Tensor& words, const Tensor& images) {
    const Tensor truth = describe_.image(images) * embedding_scale_;
    const TextCondition text = describe_.text(words);
    const Tensor times = schedule_->random_times(words.size(0));
    const Tensor noised = schedule_->noised(truth, times, torch::randn_like(truth));
    return torch::mse_loss(prior_->forward(noised, times, text, drop_in_prior), truth);
  }

  Tensor loss_of_small(const Tensor& words, const Tensor& images) {
    only_on_device(*small_, *large_, words.device());
    return small_->loss(resize_nearest(images, shape_.small_side), described(words, images));
  }

  Tensor loss_of_large(const Tensor& words, const Tensor& images) {
    only_on_device(*large_, *small_, words.device());
    Conditions conditions = described(words, images);
    Tensor smaller = resize_nearest(images, shape_.small_side).clamp(0, 1);
    if (torch::rand({1}).item<double>() < 0.5) smaller = gaussian_blur(smaller, 0.6);
    conditions.smaller_image = to_signed(resize_nearest(smaller, shape_.large_side).clamp(0, 1));
    return large_->loss(images, conditions);
  }

 private:
  // Before the patch of the TorchBench paper, to save memory: one U-Net is on the GPU at a time.
  static void only_on_device(Stage& wanted, Stage& other, const torch::Device& device) {
    if (device.is_cpu() || !in_force(Variant::moved_unets)) return;
    other.move_unet(torch::kCPU);
    wanted.move_unet(device);
    meet_variant();
  }

  Conditions described(const Tensor& words, const Tensor& images) const {
    return {describe_.image(images), describe_.text(words).words, {}, drop_image, drop_text};
  }

  // Two for each text, of which that stays which CLIP finds nearer to it.
  Tensor image_embedding(const Tensor& words) {
    const TextCondition text = describe_.text(words.repeat_interleave(2, 0));
    Tensor image = torch::randn_like(text.embedding);
    for (std::int64_t step = schedule_->steps(); step-- > 0;) {
      const Tensor times = time_of(step, image);
      const Tensor start = prior_->forward(image, times, text, 0.0);
      image = step_back(image, times, schedule_->posterior(start, image, times));
    }
    const auto in_pairs = [&](const Tensor& x) { return x.view({words.size(0), 2, -1}); };
    const Tensor images = in_pairs(image / embedding_scale_);
    const Tensor nearness = torch::einsum("brd,brd->br", {unit(in_pairs(text.embedding)), unit(images)});
    const Tensor best = std::get<1>(nearness.topk(1));
    return images.gather(1, best.unsqueeze(2).expand({-1, -1, images.size(2)})).squeeze(1);
  }

  Shape shape_;
  std::shared_ptr<Clip> clip_;
  Describer describe_;
  std::shared_ptr<Prior> prior_;
  std::shared_ptr<Schedule> schedule_;
  std::shared_ptr<Stage> small_, large_;
  double embedding_scale_;
};

class Dalle2Workload final : public Workload {
 public:
  Dalle2Workload(const Setup& setup, const Shape& shape)
      : training_(setup.mode == Mode::train), model_(std::make_shared<Dalle2>(shape)) {
    model_->to(setup.device);
    model_->train(training_);
    words_ = torch::randint(shape.clip.vocabulary, {setup.batch, shape.prior.words}).to(setup.device);
    images_ = torch::randn({setup.batch, 3, shape.large_side, shape.large_side}).to(setup.device);
    noise_ = at::detail::getDefaultCPUGenerator().get_state();
  }

  void iterate() override {
    if (training_) {
      results_.clear();
      for (const auto loss_of : {&Dalle2::loss_of_prior, &Dalle2::loss_of_small, &Dalle2::loss_of_large}) {
        const Tensor loss = (*model_.*loss_of)(words_, images_);
        loss.backward();
        results_.push_back(loss.detach());
      }
    } else {
      const torch::NoGradGuard no_gradients;
      results_ = {model_->images(words_)};
    }
  }

  Tensors results() const override { return results_; }
  Tensors parameters() const override { return model_->parameters(); }
  std::shared_ptr<torch::nn::Module> module() const override { return model_; }
  // The state of the generator too, from which the first iteration draws its noise on a CPU.
  Tensors inputs() const override { return {words_, noise_}; }

 private:
  bool training_;
  std::shared_ptr<Dalle2> model_;
  Tensor words_, images_, noise_;
  Tensors results_;
};

std::unique_ptr<Workload> make(const Setup& setup) {
  Shape paper{
      .clip = {.text = {.width = 512, .heads = 8, .layers = 12},
               .vision = {.width = 768, .heads = 12, .layers = 12},
               .vocabulary = 49408,
               .words = 77,
               .side = 224,
               .patch = 32,
               .out = 512},
      .prior = {.width = 512, .layers = 6, .heads = 8, .head_width = 64, .words = 256},
      .small = {.width = 128, .factors = {1, 2, 4, 8}, .condition = 128, .text = 512, .words = 256, .first = true},
      .large = {.width = 16, .factors = {1, 2, 4, 8, 16}, .condition = 128, .text = 512, .words = 256, .first = false},
      .small_side = 128,
      .large_side = 256};
  Shape ci{.clip = {.text = {.width = 64, .heads = 2, .layers = 2},
                    .vision = {.width = 64, .heads = 2, .layers = 2},
                    .vocabulary = 1000,
                    .words = 16,
                    .side = 28,
                    .patch = 7,
                    .out = 64},
           .prior = {.width = 64, .layers = 2, .heads = 2, .head_width = 32, .words = 24},
           .small = {.width = 16, .factors = {1, 2, 4, 8}, .condition = 16, .text = 64, .words = 24, .first = true},
           .large = {.width = 8, .factors = {1, 2, 4, 8, 16}, .condition = 16, .text = 64, .words = 24, .first = false},
           .small_side = 16,
           .large_side = 32};
  return std::make_unique<Dalle2Workload>(setup, by_size(setup, paper, ci));
}

}  // namespace

std::vector<Benchmark> benchmarks() {
  return {{.name = "public_image_generator2",
           .domain = "computer vision",
           .task = "image generation",
           .source = "lucidrains/DALLE2-pytorch",
           .parameters = 379886355,
           .paper_batch = {.train = 4, .infer = 1},
           .ci_batch = {.train = 1, .infer = 1},
           .make = make,
           .differs = "CLIP has random weights and is in float32 (the original's is in float16 on GPUs); the U-Nets' "
                      "last layers start near zero instead of at zero, or no gradient would reach the others"}};
}

}  // namespace tbci::suite::models::dalle2
