// demucs: Défossez et al., Music Source Separation in the Waveform Domain (2019), facebookresearch/demucs v1: an
// encoder and a decoder of strided convolutions with gated linear units, skip connections between them, and a
// bidirectional LSTM at the narrowest place.
#include "suite/blocks/linear.hpp"
#include "suite/blocks/standard_workload.hpp"

namespace tbci::suite::models::demucs {
namespace {

namespace nn = torch::nn;

constexpr std::int64_t sources = 4, ears = 2, depth = 6, kernel = 8, stride = 4, context = 3;
constexpr std::int64_t together = 4;  // tracks among which training mixes the sources

struct Shape {
  std::int64_t channels;  // of the first layer; each layer doubles them
  std::int64_t samples;
  std::int64_t shift;  // the most by which training shifts a source in time, in samples
};

// The middle of `x`, as long as `reference`.
torch::Tensor trimmed(const torch::Tensor& x, const torch::Tensor& reference) {
  const std::int64_t extra = x.size(-1) - reference.size(-1);
  return extra == 0 ? x : x.slice(-1, extra / 2, x.size(-1) - (extra - extra / 2));
}

// Halves the distance of a layer's initial deviation to 0.1, on the logarithmic scale.
template <class Layer>
Layer rescaled(Layer layer) {
  const torch::NoGradGuard no_gradients;
  const torch::Tensor scale = (layer->weight.std() / 0.1).sqrt();
  layer->weight.div_(scale);
  layer->bias.div_(scale);
  return layer;
}

nn::Conv1d convolution(std::int64_t in, std::int64_t out, std::int64_t size, std::int64_t step) {
  return rescaled(nn::Conv1d(nn::Conv1dOptions(in, out, size).stride(step)));
}

class Encoder : public nn::Module {
 public:
  Encoder(std::int64_t in, std::int64_t channels) {
    narrow_ = register_module("narrow", convolution(in, channels, kernel, stride));
    rewrite_ = register_module("rewrite", convolution(channels, 2 * channels, 1, 1));
  }

  torch::Tensor forward(const torch::Tensor& x) {
    return torch::glu(rewrite_->forward(torch::relu(narrow_->forward(x))), 1);
  }

 private:
  nn::Conv1d narrow_{nullptr}, rewrite_{nullptr};
};

class Decoder : public nn::Module {
 public:
  Decoder(std::int64_t channels, std::int64_t out, bool last) : last_(last) {
    rewrite_ = register_module("rewrite", convolution(channels, 2 * channels, context, 1));
    widen_ = register_module(
        "widen", rescaled(nn::ConvTranspose1d(nn::ConvTranspose1dOptions(channels, out, kernel).stride(stride))));
  }

  torch::Tensor forward(const torch::Tensor& x) {
    const torch::Tensor wide = widen_->forward(torch::glu(rewrite_->forward(x), 1));
    return last_ ? wide : torch::relu(wide);
  }

 private:
  bool last_;
  nn::Conv1d rewrite_{nullptr};
  nn::ConvTranspose1d widen_{nullptr};
};

class Demucs : public nn::Module {
 public:
  explicit Demucs(const Shape& shape) {
    const auto width = [&](std::int64_t layer) { return layer < 0 ? ears : shape.channels << layer; };
    for (std::int64_t i = 0; i < depth; ++i) {
      encoders_.push_back(
          register_module("encoder" + std::to_string(i), std::make_shared<Encoder>(width(i - 1), width(i))));
    }
    for (std::int64_t i = depth - 1; i >= 0; --i) {
      const std::int64_t out = i == 0 ? sources * ears : width(i - 1);
      decoders_.push_back(
          register_module("decoder" + std::to_string(i), std::make_shared<Decoder>(width(i), out, i == 0)));
    }
    const std::int64_t deepest = width(depth - 1);
    lstm_ = register_module("lstm", nn::LSTM(nn::LSTMOptions(deepest, deepest).num_layers(2).bidirectional(true)));
    linear_ = register_module("linear", OneLinear(2 * deepest, deepest));
  }

  // From mixes [batch, ears, samples] to sources [batch, source, ear, fewer samples].
  torch::Tensor forward(const torch::Tensor& mix) {
    torch::Tensor x = mix;
    Tensors saved;
    for (const auto& encoder : encoders_) saved.push_back(x = encoder->forward(x));
    x = std::get<0>(lstm_->forward(x.permute({2, 0, 1})));
    x = linear_->forward(x).permute({1, 2, 0});
    for (const auto& decoder : decoders_) {
      x = decoder->forward(x + trimmed(saved.back(), x));
      saved.pop_back();
    }
    return x.view({x.size(0), sources, ears, x.size(-1)});
  }

 private:
  std::vector<std::shared_ptr<Encoder>> encoders_;
  std::vector<std::shared_ptr<Decoder>> decoders_;
  nn::LSTM lstm_{nullptr};
  OneLinear linear_{nullptr};
};

// New mixes of the sources [track, source, ear, sample]: signs and ears flipped, sources shifted in time, and
// exchanged between tracks.
torch::Tensor augmented(torch::Tensor wave, const Shape& shape) {
  const std::int64_t tracks = wave.size(0);
  const std::int64_t length = wave.size(3) - shape.shift;
  const auto integers = torch::TensorOptions().dtype(torch::kLong).device(wave.device());
  wave = wave * (2 * torch::randint(2, {tracks, sources, 1, 1}, wave.options()) - 1);

  const torch::Tensor left = torch::randint(2, {tracks, sources, 1, 1}, integers).expand({-1, -1, -1, wave.size(3)});
  const torch::Tensor right = torch::rsub(left, 1);
  wave = torch::cat({wave.gather(2, left), wave.gather(2, right)}, 2);

  const torch::Tensor offsets = torch::randint(shape.shift, {tracks, sources, 1, 1}, integers);
  wave = wave.gather(3, torch::arange(length, integers) + offsets.expand({-1, -1, ears, -1}));

  const std::int64_t group = tracks % together == 0 ? together : tracks;
  wave = wave.view({tracks / group, group, sources, ears, length});
  const torch::Tensor order = torch::rand({tracks / group, group, sources, 1, 1}, wave.options()).argsort(1, false);
  return wave.gather(1, order.expand({-1, -1, -1, ears, length})).view({tracks, sources, ears, length});
}

std::unique_ptr<Workload> make(const Setup& setup) {
  const Shape shape = by_size<Shape>(setup, {.channels = 64, .samples = 426888, .shift = 44100},
                                     {.channels = 8, .samples = 22000, .shift = 3100});
  auto module = std::make_shared<Demucs>(shape);
  module->to(setup.device);
  const torch::Tensor streams =
      torch::rand({setup.batch, 1 + sources, ears, shape.samples}, torch::TensorOptions().device(setup.device));

  const bool training = setup.mode == Mode::train;
  const auto loss = [](const Tensors& outputs) { return torch::l1_loss(outputs[1], outputs[0]); };
  const auto forward = [module, streams, shape, training, loss] {
    const torch::Tensor all = streams.slice(1, 1);  // the first stream is the mix of the others
    const torch::Tensor wave = training ? augmented(all, shape) : all.slice(3, 0, shape.samples - shape.shift);
    const torch::Tensor estimates = module->forward(wave.sum(1));
    Tensors outputs{trimmed(wave, estimates), estimates};
    if (!training) outputs.push_back(loss(outputs));  // the original computes it in inference too
    return outputs;
  };
  return standard_workload(
      setup, {.module = module, .forward = forward, .loss = loss, .optimizer = use_adam(3e-4), .inputs = {streams}});
}

}  // namespace

std::vector<Benchmark> benchmarks() {
  return {{.name = "demucs",
           .domain = "speech",
           .task = "audio source separation",
           .source = "facebookresearch/demucs",
           .parameters = 265679496,
           .paper_batch = {.train = 64, .infer = 8},
           .ci_batch = {.train = 4, .infer = 16},
           .make = make,
           .differs = "the batch of inference is that of a GPU; on a CPU the original takes an eighth"}};
}

}  // namespace tbci::suite::models::demucs
