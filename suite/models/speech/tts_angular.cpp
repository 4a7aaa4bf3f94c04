// tts_angular: the speaker encoder of Mozilla TTS: three LSTMs with a projection each, and the angular prototypical
// loss (Chung et al., In defence of metric learning for speaker recognition, 2020).
#include "suite/blocks/radam.hpp"
#include "suite/blocks/standard_workload.hpp"

namespace tbci::suite::models::tts_angular {
namespace {

namespace nn = torch::nn;

struct Shape {
  std::int64_t width;       // of the LSTMs
  std::int64_t projection;  // of the embedding of a speaker
  std::int64_t frames;
};

constexpr std::int64_t mel_bands = 40;
constexpr std::int64_t utterances = 2;  // of one speaker in a batch: the loss compares the first with the others

class SpeakerEncoder : public nn::Module {
 public:
  explicit SpeakerEncoder(const Shape& shape) {
    std::int64_t in = mel_bands;
    for (int i = 0; i < 3; ++i) {
      const std::string number = std::to_string(i);
      lstms_.push_back(register_module("lstm" + number, nn::LSTM(nn::LSTMOptions(in, shape.width).batch_first(true))));
      projections_.push_back(
          register_module("linear" + number, nn::Linear(nn::LinearOptions(shape.width, shape.projection).bias(false))));
      in = shape.projection;
    }
    for (auto& parameter : named_parameters()) {
      if (parameter.key().find("bias") != std::string::npos)
        nn::init::zeros_(parameter.value());
      else
        nn::init::xavier_normal_(parameter.value());
    }
  }

  // One embedding of length 1 for each utterance.
  torch::Tensor forward(torch::Tensor x) {
    for (std::size_t i = 0; i < lstms_.size(); ++i) x = projections_[i]->forward(std::get<0>(lstms_[i]->forward(x)));
    return nn::functional::normalize(x.select(1, -1), nn::functional::NormalizeFuncOptions().p(2).dim(1));
  }

  static torch::Tensor loss(const torch::Tensor& embeddings) {
    const torch::Tensor speakers = embeddings.view({-1, utterances, embeddings.size(1)});
    const torch::Tensor positive = speakers.select(1, 0);
    const torch::Tensor anchor = speakers.slice(1, 1).mean(1);
    const std::int64_t count = speakers.size(0);
    const torch::Tensor similarity = torch::cosine_similarity(
        positive.unsqueeze(-1).expand({-1, -1, count}), anchor.unsqueeze(-1).expand({-1, -1, count}).transpose(0, 2));
    const torch::Tensor label = torch::arange(count, torch::TensorOptions().device(embeddings.device()));
    return nn::functional::cross_entropy(similarity * 10.0 - 5.0, label);
  }

 private:
  std::vector<nn::LSTM> lstms_;
  std::vector<nn::Linear> projections_;
};

std::unique_ptr<Workload> make(const Setup& setup) {
  const Shape shape = by_size<Shape>(setup, {.width = 768, .projection = 256, .frames = 50},
                                     {.width = 128, .projection = 64, .frames = 40});
  const std::int64_t batch =
      setup.mode == Mode::train ? (setup.batch + utterances - 1) / utterances * utterances : setup.batch;
  auto module = std::make_shared<SpeakerEncoder>(shape);
  module->to(setup.device);
  const torch::Tensor frames =
      torch::rand({batch, shape.frames, mel_bands}, torch::TensorOptions().device(setup.device));

  const auto optimizer = [](std::vector<torch::Tensor> parameters) {
    return std::make_unique<RAdam>(std::move(parameters), 1e-4);
  };
  return standard_workload(setup, {.module = module,
                                   .forward = [module, frames] { return Tensors{module->forward(frames)}; },
                                   .loss = [](const Tensors& outputs) { return SpeakerEncoder::loss(outputs[0]); },
                                   .optimizer = optimizer,
                                   .inputs = {frames}});
}

}  // namespace

std::vector<Benchmark> benchmarks() {
  return {{.name = "tts_angular",
           .domain = "speech",
           .task = "synthesis",
           .source = "mozilla/TTS",
           .parameters = 9381888,
           .paper_batch = {.train = 64, .infer = 64},
           .ci_batch = {.train = 16, .infer = 96},
           .make = make,
           .differs = "two utterances of each speaker; the original has one, whose loss is NaN"}};
}

}  // namespace tbci::suite::models::tts_angular
