// speech_transformer: Dong et al., Speech-Transformer: A No-Recurrence Sequence-to-Sequence Model for Speech
// Recognition (2018), in the form of kaituoxu/Speech-Transformer. Training does an epoch of one batch and then what
// TorchBench calls its validation, which also takes a step; inference is the beam search for one utterance.
#include <cmath>

#include "suite/blocks/networks/speech_transformer.hpp"
#include "suite/blocks/optimizers.hpp"

namespace tbci::suite::models::speech_transformer {
namespace {

constexpr double smoothing = 0.1;

struct Sizes {
  SpeechTransformerShape net;
  std::int64_t frames;      // of the longest utterance
  std::int64_t characters;  // of the longest text
  SpeechDecoder::Beam beam;
};

// Cross entropy with smoothed targets, of elementary operators, per character that is not padding.
torch::Tensor smoothed_loss(const torch::Tensor& scores, const torch::Tensor& target) {
  const std::int64_t classes = scores.size(1);
  const torch::Tensor known = (target != SpeechDecoder::ignored).to(torch::kLong) * target;
  torch::Tensor wanted = torch::zeros_like(scores).scatter(1, known.view({-1, 1}), 1);
  wanted = wanted * (1 - smoothing) + torch::rsub(wanted, 1) * smoothing / classes;
  const torch::Tensor real = target != SpeechDecoder::ignored;
  const auto count = real.sum().item<std::int64_t>();
  const torch::Tensor each = -(wanted * torch::log_softmax(scores, 1)).sum(1);
  return each.masked_select(real).sum() / count;
}

std::int64_t correct(const torch::Tensor& scores, const torch::Tensor& target) {
  const torch::Tensor guess = std::get<1>(scores.max(1));
  const torch::Tensor real = target != SpeechDecoder::ignored;
  return guess.eq(target).masked_select(real).sum().item<std::int64_t>();
}

class Recogniser final : public Workload {
 public:
  Recogniser(const Setup& setup, const Sizes& sizes)
      : mode_(setup.mode), sizes_(sizes), net_(std::make_shared<SpeechTransformer>(sizes.net)) {
    net_->to(setup.device);
    net_->train(mode_ == Mode::train);
    make_data(setup);
    if (mode_ == Mode::infer) return;
    const auto options = torch::optim::AdamOptions().betas({0.9, 0.98}).eps(1e-9);
    optimizer_ = std::make_unique<torch::optim::Adam>(net_->parameters(), options);
  }

  void iterate() override {
    if (mode_ == Mode::infer) {
      recognise();
      return;
    }
    net_->train();
    const torch::Tensor loss = train();
    net_->eval();
    results_ = {loss, train()};
  }

  Tensors results() const override { return results_; }
  Tensors parameters() const override { return net_->parameters(); }
  std::shared_ptr<torch::nn::Module> module() const override { return net_; }
  Tensors inputs() const override { return {frames_, lengths_, targets_}; }

 private:
  // Utterances from the longest to shorter ones, and about as many characters a frame in each.
  void make_data(const Setup& setup) {
    const std::int64_t first = SpeechDecoder::end + 1;
    const torch::Tensor row = torch::arange(setup.batch);
    const torch::Tensor lengths = sizes_.frames - row * sizes_.frames / (3 * setup.batch);
    const torch::Tensor texts = (lengths * sizes_.characters / sizes_.frames).to(torch::kLong).clamp_min(1);
    lengths_ = lengths.to(torch::kLong).to(setup.device);
    const torch::Tensor frames = torch::randn({setup.batch, sizes_.frames, sizes_.net.frame});
    frames_ = (frames * (torch::arange(sizes_.frames) < lengths.unsqueeze(1)).unsqueeze(-1)).to(setup.device);
    const torch::Tensor targets =
        torch::randint(first, sizes_.net.vocabulary, {setup.batch, sizes_.characters}, torch::kLong);
    targets_ = targets.masked_fill(torch::arange(sizes_.characters) >= texts.unsqueeze(1), SpeechDecoder::ignored)
                   .to(setup.device);
  }

  void recognise() {
    const torch::NoGradGuard no_gradients;
    results_.clear();
    for (std::int64_t i = 0; i < frames_.size(0); ++i) {  // the original takes one utterance
      const torch::Tensor length = lengths_.slice(0, i, i + 1);
      const torch::Tensor frames = frames_.slice(0, i, i + 1).slice(1, 0, length.item<std::int64_t>());
      for (torch::Tensor& part : net_->decoder()->recognise(net_->encoder()->forward(frames, length), sizes_.beam)) {
        results_.push_back(part);
      }
    }
  }

  torch::Tensor train() {
    const auto [scores, target] =
        net_->decoder()->forward(targets_, net_->encoder()->forward(frames_, lengths_), lengths_);
    const torch::Tensor flat = scores.view({-1, scores.size(2)}), wanted = target.contiguous().view(-1);
    const torch::Tensor loss = smoothed_loss(flat, wanted);
    correct(flat, wanted);
    zero_gradients(*optimizer_);
    loss.backward();
    step();
    loss.item<float>();
    (target != SpeechDecoder::ignored).sum().item<std::int64_t>();
    return loss.detach();
  }

  // The learning rate falls with the root of the number of steps.
  void step() {
    constexpr double factor = 0.2;
    ++steps_;
    const double rate = factor / std::sqrt(static_cast<double>(sizes_.net.width) * static_cast<double>(steps_));
    for (auto& group : optimizer_->param_groups()) static_cast<torch::optim::AdamOptions&>(group.options()).lr(rate);
    take_step(*optimizer_);
  }

  Mode mode_;
  Sizes sizes_;
  std::shared_ptr<SpeechTransformer> net_;
  std::unique_ptr<torch::optim::Adam> optimizer_;  // in training only
  std::int64_t steps_ = 0;
  torch::Tensor frames_, lengths_, targets_;
  Tensors results_;
};

}  // namespace

std::vector<Benchmark> benchmarks() {
  // The batch of the original is 15000 frames, of which three make one of these: 32 utterances of AISHELL.
  const Sizes paper{.net = {.frame = 320, .vocabulary = 4233, .width = 512, .heads = 8, .inner = 2048, .layers = 6},
                    .frames = 170,
                    .characters = 15,
                    .beam = {.width = 5, .longest = 100}};
  const Sizes ci{.net = {.frame = 320, .vocabulary = 500, .width = 128, .heads = 8, .inner = 256, .layers = 3},
                 .frames = 60,
                 .characters = 10,
                 .beam = {.width = 5, .longest = 12}};
  const auto make = [paper, ci](const Setup& setup) {
    return std::make_unique<Recogniser>(setup, by_size(setup, paper, ci));
  };
  return {{.name = "speech_transformer",
           .domain = "speech",
           .task = "speech recognition",
           .source = "kaituoxu/Speech-Transformer",
           .parameters = 46471168,
           .paper_batch = {.train = 32, .infer = 1},
           .ci_batch = {.train = 4, .infer = 1},
           .make = make,
           .differs = "The vocabulary has 4233 characters, as all of AISHELL, where the original has those of the part "
                      "it ships; lengths are invented."}};
}

}  // namespace tbci::suite::models::speech_transformer
