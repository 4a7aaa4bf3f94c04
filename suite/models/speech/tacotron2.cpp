// tacotron2: Shen et al., Natural TTS Synthesis by Conditioning WaveNet on Mel Spectrogram Predictions (2018), in the
// form of NVIDIA/tacotron2: from characters to the frames of a spectrogram. Training and inference both give the
// decoder the true frame before each (teacher forcing), as TorchBench does.
#include <cmath>

#include "suite/blocks/networks/tacotron2_decoder.hpp"
#include "suite/blocks/standard_workload.hpp"

namespace tbci::suite::models::tacotron2 {
namespace {

namespace nn = torch::nn;
using namespace suite::tacotron2;

constexpr std::int64_t symbols = 148;

struct Shape {
  DecoderShape decoder;
  std::int64_t letters;  // of the longest text
  std::int64_t frames;   // of the longest spectrogram
};

class Convolutions : public nn::Module {
 public:
  // `channels`: into the first layer, between the layers, and out of the last.
  Convolutions(const std::vector<std::int64_t>& channels, const std::vector<Gain>& gains) : gains_(gains) {
    for (std::size_t i = 0; i < gains.size(); ++i) {
      const std::string number = std::to_string(i);
      convolutions_.push_back(
          register_module("conv" + number, convolution(channels[i], channels[i + 1], 5, true, gains[i])));
      norms_.push_back(register_module("norm" + number, nn::BatchNorm1d(channels[i + 1])));
    }
  }

  torch::Tensor forward(torch::Tensor x) {
    for (std::size_t i = 0; i < gains_.size(); ++i) {
      x = norms_[i]->forward(convolutions_[i]->forward(x));
      if (gains_[i] == Gain::relu) x = torch::relu(x);
      if (gains_[i] == Gain::tanh) x = torch::tanh(x);
      x = torch::dropout(x, 0.5, is_training());
    }
    return x;
  }

 private:
  std::vector<Gain> gains_;  // also determines the activation
  std::vector<nn::Conv1d> convolutions_;
  std::vector<nn::BatchNorm1d> norms_;
};

class Encoder : public nn::Module {
 public:
  // Of symbols' embeddings so wide, and as wide itself.
  explicit Encoder(std::int64_t width) {
    const std::vector<std::int64_t> channels(4, width);
    convolutions_ =
        register_module("convolutions", std::make_shared<Convolutions>(channels, std::vector<Gain>(3, Gain::relu)));
    lstm_ = register_module("lstm", nn::LSTM(nn::LSTMOptions(width, width / 2).batch_first(true).bidirectional(true)));
  }

  torch::Tensor forward(const torch::Tensor& embedded, const torch::Tensor& lengths) {
    const torch::Tensor x = convolutions_->forward(embedded).transpose(1, 2);
    const auto packed = nn::utils::rnn::pack_padded_sequence(x, lengths.cpu(), true);
    const auto outputs = std::get<0>(lstm_->forward_with_packed_input(packed));
    return std::get<0>(nn::utils::rnn::pad_packed_sequence(outputs, true));
  }

 private:
  std::shared_ptr<Convolutions> convolutions_;
  nn::LSTM lstm_{nullptr};
};

// Texts from the longest to shorter ones, and their spectrograms.
struct Speech {
  torch::Tensor letters, letter_counts;  // [batch, letters], [batch]
  torch::Tensor frames, frame_counts;    // [batch, bands, frames], [batch]
  torch::Tensor stop;                    // [batch, frames]: 1 from the last frame on
};

class Tacotron2 : public nn::Module {
 public:
  explicit Tacotron2(const DecoderShape& shape) {
    const std::int64_t width = shape.encoder;
    embedding_ = register_module("embedding", nn::Embedding(symbols, width));
    const double bound = std::sqrt(6.0 / static_cast<double>(symbols + width));
    nn::init::uniform_(embedding_->weight, -bound, bound);
    encoder_ = register_module("encoder", std::make_shared<Encoder>(width));
    decoder_ = register_module("decoder", std::make_shared<Decoder>(shape));
    const std::vector<Gain> gains{Gain::tanh, Gain::tanh, Gain::tanh, Gain::tanh, Gain::linear};
    postnet_ = register_module(
        "postnet",
        std::make_shared<Convolutions>(std::vector<std::int64_t>{bands, width, width, width, width, bands}, gains));
  }

  // The decoder's frames, those after the last network, the ends, and the alignments.
  Tensors forward(const Speech& speech) {
    const torch::Tensor embedded = embedding_->forward(speech.letters).transpose(1, 2);
    const torch::Tensor memory = encoder_->forward(embedded, speech.letter_counts);
    const Spoken spoken = decoder_->forward(memory, speech.frames, speech.letter_counts);
    const torch::Tensor refined = spoken.frames + postnet_->forward(spoken.frames);
    torch::Tensor after = padding(speech.frame_counts);
    after = after.expand({bands, after.size(0), after.size(1)}).permute({1, 0, 2});
    spoken.frames.data().masked_fill_(after, 0.0);
    refined.data().masked_fill_(after, 0.0);
    spoken.stop.data().masked_fill_(after.select(1, 0), 1e3);
    return {spoken.frames, refined, spoken.stop, spoken.alignments};
  }

 private:
  nn::Embedding embedding_{nullptr};
  std::shared_ptr<Encoder> encoder_;
  std::shared_ptr<Decoder> decoder_;
  std::shared_ptr<Convolutions> postnet_;
};

Speech speech(const Setup& setup, const Shape& shape) {
  const torch::Tensor row = torch::arange(setup.batch);
  const auto lengths = [&](std::int64_t longest) { return longest - row * (longest / 2) / setup.batch; };
  Speech data;
  data.letter_counts = lengths(shape.letters).to(torch::kLong);
  data.frame_counts = lengths(shape.frames).to(torch::kLong);
  const torch::Tensor letters = torch::randint(1, symbols, {setup.batch, shape.letters}, torch::kLong);
  data.letters = letters.masked_fill(padding(data.letter_counts), 0);
  const torch::Tensor frames = torch::randn({setup.batch, bands, shape.frames});
  data.frames = frames.masked_fill(padding(data.frame_counts).unsqueeze(1), 0.0);
  data.stop = padding(data.frame_counts - 1).to(torch::kFloat);
  data.stop = torch::constant_pad_nd(data.stop, {0, shape.frames - data.stop.size(1)}, 1.0);
  for (torch::Tensor* part : {&data.letters, &data.letter_counts, &data.frames, &data.frame_counts, &data.stop}) {
    *part = part->to(setup.device);
  }
  return data;
}

torch::Tensor loss(const Tensors& outputs, const Speech& data) {
  const torch::Tensor of_frames = torch::mse_loss(outputs[0], data.frames) + torch::mse_loss(outputs[1], data.frames);
  return of_frames + torch::binary_cross_entropy_with_logits(outputs[2].view({-1, 1}), data.stop.view({-1, 1}));
}

std::unique_ptr<Workload> make(const Setup& setup) {
  const Shape shape =
      by_size<Shape>(setup,
                     {.decoder = {.encoder = 512, .decoder = 1024, .prenet = 256, .attention = 128, .filters = 32},
                      .letters = 160,
                      .frames = 800},
                     {.decoder = {.encoder = 64, .decoder = 128, .prenet = 32, .attention = 16, .filters = 8},
                      .letters = 16,
                      .frames = 32});
  auto module = std::make_shared<Tacotron2>(shape.decoder);
  module->to(setup.device);
  const Speech data = speech(setup, shape);

  return standard_workload(
      setup,
      {.module = module,
       .forward = [module, data] { return module->forward(data); },
       .loss = [data](const Tensors& outputs) { return loss(outputs, data); },
       .optimizer = use_adam(torch::optim::AdamOptions(1e-3).weight_decay(1e-6)),
       // The layers before the decoder drop values in inference too: the generator's state makes that repeatable.
       .inputs = {data.letters, data.letter_counts, data.frames, data.frame_counts,
                  at::globalContext().defaultGenerator(torch::kCPU).get_state()}});
}

}  // namespace

std::vector<Benchmark> benchmarks() {
  return {{.name = "tacotron2",
           .domain = "speech",
           .task = "synthesis",
           .source = "NVIDIA/tacotron2",
           .parameters = 28193153,
           .paper_batch = {.train = 64, .infer = 64},
           .ci_batch = {.train = 4, .infer = 32},
           .make = make,
           .differs = "lengths of texts and spectrograms are invented (up to 160 letters and 800 frames, as in LJ "
                      "Speech), and inference has the precision of training, where the original takes autocast on "
                      "CUDA; the original refuses CPUs"}};
}

}  // namespace tbci::suite::models::tacotron2
