// tacotron2: Shen et al., Natural TTS Synthesis by Conditioning WaveNet on Mel Spectrogram Predictions (2018), in the
// form of NVIDIA/tacotron2: from characters to the frames of a spectrogram. Training and inference both give the
// decoder the true frame before each (teacher forcing), as TorchBench does.
#include <cmath>
#include <limits>

#include "suite/blocks/standard_workload.hpp"

namespace tbci::suite::models {
namespace {

namespace nn = torch::nn;

constexpr std::int64_t symbols = 148;
constexpr std::int64_t bands = 80;
constexpr double infinity = std::numeric_limits<double>::infinity();

struct Shape {
  std::int64_t encoder;    // width of the symbols' embedding and of the encoder
  std::int64_t decoder;    // width of the LSTM of the attention and of that of the decoder
  std::int64_t prenet;     // width of the layers that take the frame before
  std::int64_t attention;  // width of the attention's comparison
  std::int64_t filters;    // of the attention's own history
  std::int64_t letters;    // of the longest text
  std::int64_t frames;     // of the longest spectrogram
};

enum class Gain { linear, relu, tanh, sigmoid };

double factor(Gain gain) {
  return gain == Gain::tanh ? 5.0 / 3 : gain == Gain::relu ? std::sqrt(2.0) : 1.0;
}

nn::Linear linear(std::int64_t in, std::int64_t out, bool bias, Gain gain = Gain::linear) {
  nn::Linear layer(nn::LinearOptions(in, out).bias(bias));
  nn::init::xavier_uniform_(layer->weight, factor(gain));
  return layer;
}

nn::Conv1d convolution(std::int64_t in, std::int64_t out, std::int64_t kernel, bool bias, Gain gain = Gain::linear) {
  nn::Conv1d layer(nn::Conv1dOptions(in, out, kernel).padding((kernel - 1) / 2).bias(bias));
  nn::init::xavier_uniform_(layer->weight, factor(gain));
  return layer;
}

// True in the padding of sequences of these lengths: [batch, longest].
torch::Tensor padding(const torch::Tensor& lengths) {
  const torch::Tensor place = torch::arange(0, lengths.max().item<std::int64_t>(), lengths.options());
  return ~(place < lengths.unsqueeze(1));
}

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
  std::vector<Gain> gains_;  // also tells the activation
  std::vector<nn::Conv1d> convolutions_;
  std::vector<nn::BatchNorm1d> norms_;
};

class Encoder : public nn::Module {
 public:
  explicit Encoder(const Shape& shape) {
    const std::vector<std::int64_t> channels(4, shape.encoder);
    convolutions_ =
        register_module("convolutions", std::make_shared<Convolutions>(channels, std::vector<Gain>(3, Gain::relu)));
    lstm_ = register_module(
        "lstm", nn::LSTM(nn::LSTMOptions(shape.encoder, shape.encoder / 2).batch_first(true).bidirectional(true)));
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

// Attention that knows where it looked before.
class LocationAttention : public nn::Module {
 public:
  explicit LocationAttention(const Shape& shape) {
    query_ = register_module("query_layer", linear(shape.decoder, shape.attention, false, Gain::tanh));
    memory_ = register_module("memory_layer", linear(shape.encoder, shape.attention, false, Gain::tanh));
    energy_ = register_module("v", linear(shape.attention, 1, false));
    history_ = register_module("location_conv", convolution(2, shape.filters, 31, false));
    location_ = register_module("location_dense", linear(shape.filters, shape.attention, false, Gain::tanh));
  }

  torch::Tensor processed(const torch::Tensor& memory) { return memory_->forward(memory); }

  struct Memory {
    torch::Tensor encoded, processed;
    torch::Tensor padding;
  };
  struct Found {
    torch::Tensor context, weights;
  };

  // `before`: the weights of the last step, and the sum of all.
  Found forward(const torch::Tensor& query, const Memory& memory, const torch::Tensor& before) {
    const torch::Tensor asked = query_->forward(query.unsqueeze(1));
    const torch::Tensor place = location_->forward(history_->forward(before).transpose(1, 2));
    torch::Tensor energy = energy_->forward(torch::tanh(asked + place + memory.processed)).squeeze(-1);
    energy.data().masked_fill_(memory.padding, -infinity);
    const torch::Tensor weights = torch::softmax(energy, 1);
    return {torch::bmm(weights.unsqueeze(1), memory.encoded).squeeze(1), weights};
  }

 private:
  nn::Linear query_{nullptr}, memory_{nullptr}, energy_{nullptr};
  nn::Conv1d history_{nullptr};
  nn::Linear location_{nullptr};
};

struct Spoken {
  torch::Tensor frames;      // [batch, bands, frames]
  torch::Tensor stop;        // [batch, frames]: whether the spectrogram ends here
  torch::Tensor alignments;  // [batch, frames, letters]
};

class Decoder : public nn::Module {
 public:
  explicit Decoder(const Shape& shape) : shape_(shape) {
    prenet_.push_back(register_module("prenet0", linear(bands, shape.prenet, false)));
    prenet_.push_back(register_module("prenet1", linear(shape.prenet, shape.prenet, false)));
    const std::int64_t heard = shape.decoder + shape.encoder;
    attention_cell_ = register_module("attention_rnn", nn::LSTMCell(shape.prenet + shape.encoder, shape.decoder));
    attention_ = register_module("attention_layer", std::make_shared<LocationAttention>(shape));
    decoder_cell_ = register_module("decoder_rnn", nn::LSTMCell(heard, shape.decoder));
    projection_ = register_module("linear_projection", linear(heard, bands, true));
    gate_ = register_module("gate_layer", linear(heard, 1, true, Gain::sigmoid));
  }

  // `truth`: the spectrograms; each step hears the frame before its own.
  Spoken forward(const torch::Tensor& memory, const torch::Tensor& truth, const torch::Tensor& lengths) {
    const torch::Tensor silence = memory.new_zeros({1, memory.size(0), bands});
    torch::Tensor heard = torch::cat({silence, truth.transpose(1, 2).transpose(0, 1)}, 0);
    for (nn::Linear& layer : prenet_) heard = torch::dropout(torch::relu(layer->forward(heard)), 0.5, true);

    const LocationAttention::Memory known{memory, attention_->processed(memory), padding(lengths)};
    State state = silent(memory);
    Tensors frames, stop, alignments;
    for (std::int64_t i = 0; i < truth.size(2); ++i) {
      const torch::Tensor said = step(state, heard.select(0, i), known);
      frames.push_back(projection_->forward(said));
      stop.push_back(gate_->forward(said).squeeze(1));
      alignments.push_back(state.weights);
    }
    return {torch::stack(frames).transpose(0, 1).contiguous().transpose(1, 2),
            torch::stack(stop).transpose(0, 1).contiguous(), torch::stack(alignments).transpose(0, 1)};
  }

 private:
  using CellState = std::tuple<torch::Tensor, torch::Tensor>;

  struct State {
    CellState attention, decoder;
    torch::Tensor weights, all_weights;  // of the last step, and the sum of all steps
    torch::Tensor context;
  };

  State silent(const torch::Tensor& memory) const {
    const auto zeros = [&](std::int64_t width) { return memory.new_zeros({memory.size(0), width}); };
    return {{zeros(shape_.decoder), zeros(shape_.decoder)},
            {zeros(shape_.decoder), zeros(shape_.decoder)},
            zeros(memory.size(1)),
            zeros(memory.size(1)),
            zeros(shape_.encoder)};
  }

  // An LSTM cell whose output, and with it its next input of itself, is thinned out.
  torch::Tensor run(nn::LSTMCell& cell, const torch::Tensor& input, CellState& state) {
    state = cell->forward(input, state);
    std::get<0>(state) = torch::dropout(std::get<0>(state), 0.1, is_training());
    return std::get<0>(state);
  }

  torch::Tensor step(State& state, const torch::Tensor& heard, const LocationAttention::Memory& memory) {
    const torch::Tensor query = run(attention_cell_, torch::cat({heard, state.context}, -1), state.attention);
    const torch::Tensor before = torch::cat({state.weights.unsqueeze(1), state.all_weights.unsqueeze(1)}, 1);
    const auto found = attention_->forward(query, memory, before);
    state.context = found.context;
    state.weights = found.weights;
    state.all_weights += found.weights;
    const torch::Tensor output = run(decoder_cell_, torch::cat({query, state.context}, -1), state.decoder);
    return torch::cat({output, state.context}, 1);
  }

  Shape shape_;
  std::vector<nn::Linear> prenet_;
  nn::LSTMCell attention_cell_{nullptr}, decoder_cell_{nullptr};
  std::shared_ptr<LocationAttention> attention_;
  nn::Linear projection_{nullptr}, gate_{nullptr};
};

// Texts from the longest to shorter ones, and their spectrograms.
struct Speech {
  torch::Tensor letters, letter_counts;  // [batch, letters], [batch]
  torch::Tensor frames, frame_counts;    // [batch, bands, frames], [batch]
  torch::Tensor stop;                    // [batch, frames]: 1 from the last frame on
};

class Tacotron2 : public nn::Module {
 public:
  explicit Tacotron2(const Shape& shape) {
    embedding_ = register_module("embedding", nn::Embedding(symbols, shape.encoder));
    const double bound = std::sqrt(6.0 / static_cast<double>(symbols + shape.encoder));
    nn::init::uniform_(embedding_->weight, -bound, bound);
    encoder_ = register_module("encoder", std::make_shared<Encoder>(shape));
    decoder_ = register_module("decoder", std::make_shared<Decoder>(shape));
    const std::int64_t width = shape.encoder;
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
  const bool paper = setup.size == Size::paper;
  const Shape shape = paper ? Shape{512, 1024, 256, 128, 32, 160, 800} : Shape{64, 128, 32, 16, 8, 16, 32};
  auto module = std::make_shared<Tacotron2>(shape);
  module->to(setup.device);
  const Speech data = speech(setup, shape);

  StandardWorkload::Parts parts;
  parts.module = module;
  parts.forward = [module, data] { return module->forward(data); };
  parts.loss = [data](const Tensors& outputs) { return loss(outputs, data); };
  parts.optimizer = [](std::vector<torch::Tensor> parameters) {
    const auto options = torch::optim::AdamOptions(1e-3).weight_decay(1e-6);
    return std::make_unique<torch::optim::Adam>(std::move(parameters), options);
  };
  // The layers before the decoder drop values in inference too: the generator's state makes that repeatable.
  parts.inputs = {data.letters, data.letter_counts, data.frames, data.frame_counts,
                  at::globalContext().defaultGenerator(torch::kCPU).get_state()};
  return std::make_unique<StandardWorkload>(setup.mode, std::move(parts));
}

}  // namespace

std::vector<Benchmark> tacotron2() {
  return {{"tacotron2",
           "speech",
           "synthesis",
           "NVIDIA/tacotron2",
           28193153,
           {64, 64},
           {4, 32},
           make,
           "lengths of texts and spectrograms are invented (up to 160 letters and 800 frames, as in LJ Speech), and "
           "inference has the precision of training, where the original takes autocast on CUDA; the original refuses "
           "CPUs"}};
}

}  // namespace tbci::suite::models
