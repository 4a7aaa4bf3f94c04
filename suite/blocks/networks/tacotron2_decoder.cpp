#include "suite/blocks/networks/tacotron2_decoder.hpp"

#include <cmath>
#include <limits>

namespace tbci::suite::tacotron2 {

namespace nn = torch::nn;

namespace {

double factor(Gain gain) {
  return gain == Gain::tanh ? 5.0 / 3 : gain == Gain::relu ? std::sqrt(2.0) : 1.0;
}

}  // namespace

nn::Linear linear(std::int64_t in, std::int64_t out, bool bias, Gain gain) {
  nn::Linear layer(nn::LinearOptions(in, out).bias(bias));
  nn::init::xavier_uniform_(layer->weight, factor(gain));
  return layer;
}

nn::Conv1d convolution(std::int64_t in, std::int64_t out, std::int64_t kernel, bool bias, Gain gain) {
  nn::Conv1d layer(nn::Conv1dOptions(in, out, kernel).padding((kernel - 1) / 2).bias(bias));
  nn::init::xavier_uniform_(layer->weight, factor(gain));
  return layer;
}

torch::Tensor padding(const torch::Tensor& lengths) {
  const torch::Tensor place = torch::arange(0, lengths.max().item<std::int64_t>(), lengths.options());
  return ~(place < lengths.unsqueeze(1));
}

LocationAttention::LocationAttention(const DecoderShape& shape) {
  query_ = register_module("query_layer", linear(shape.decoder, shape.attention, false, Gain::tanh));
  memory_ = register_module("memory_layer", linear(shape.encoder, shape.attention, false, Gain::tanh));
  energy_ = register_module("v", linear(shape.attention, 1, false));
  history_ = register_module("location_conv", convolution(2, shape.filters, 31, false));
  location_ = register_module("location_dense", linear(shape.filters, shape.attention, false, Gain::tanh));
}

LocationAttention::Found LocationAttention::forward(const torch::Tensor& query, const Memory& memory,
                                                    const torch::Tensor& before) {
  const torch::Tensor asked = query_->forward(query.unsqueeze(1));
  const torch::Tensor place = location_->forward(history_->forward(before).transpose(1, 2));
  torch::Tensor energy = energy_->forward(torch::tanh(asked + place + memory.processed)).squeeze(-1);
  energy.data().masked_fill_(memory.padding, -std::numeric_limits<double>::infinity());
  const torch::Tensor weights = torch::softmax(energy, 1);
  return {torch::bmm(weights.unsqueeze(1), memory.encoded).squeeze(1), weights};
}

Decoder::Decoder(const DecoderShape& shape) : shape_(shape) {
  prenet_.push_back(register_module("prenet0", linear(bands, shape.prenet, false)));
  prenet_.push_back(register_module("prenet1", linear(shape.prenet, shape.prenet, false)));
  const std::int64_t heard = shape.decoder + shape.encoder;
  attention_cell_ = register_module("attention_rnn", nn::LSTMCell(shape.prenet + shape.encoder, shape.decoder));
  attention_ = register_module("attention_layer", std::make_shared<LocationAttention>(shape));
  decoder_cell_ = register_module("decoder_rnn", nn::LSTMCell(heard, shape.decoder));
  projection_ = register_module("linear_projection", linear(heard, bands, true));
  gate_ = register_module("gate_layer", linear(heard, 1, true, Gain::sigmoid));
}

Spoken Decoder::forward(const torch::Tensor& memory, const torch::Tensor& truth, const torch::Tensor& lengths) {
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

Decoder::State Decoder::silent(const torch::Tensor& memory) const {
  const auto zeros = [&](std::int64_t width) { return memory.new_zeros({memory.size(0), width}); };
  return {{zeros(shape_.decoder), zeros(shape_.decoder)},
          {zeros(shape_.decoder), zeros(shape_.decoder)},
          zeros(memory.size(1)),
          zeros(memory.size(1)),
          zeros(shape_.encoder)};
}

// An LSTM cell whose output, and with it its next input of itself, is thinned out.
torch::Tensor Decoder::run(nn::LSTMCell& cell, const torch::Tensor& input, CellState& state) {
  state = cell->forward(input, state);
  std::get<0>(state) = torch::dropout(std::get<0>(state), 0.1, is_training());
  return std::get<0>(state);
}

torch::Tensor Decoder::step(State& state, const torch::Tensor& heard, const LocationAttention::Memory& memory) {
  const torch::Tensor query = run(attention_cell_, torch::cat({heard, state.context}, -1), state.attention);
  const torch::Tensor before = torch::cat({state.weights.unsqueeze(1), state.all_weights.unsqueeze(1)}, 1);
  const auto found = attention_->forward(query, memory, before);
  state.context = found.context;
  state.weights = found.weights;
  state.all_weights += found.weights;
  const torch::Tensor output = run(decoder_cell_, torch::cat({query, state.context}, -1), state.decoder);
  return torch::cat({output, state.context}, 1);
}

}  // namespace tbci::suite::tacotron2
