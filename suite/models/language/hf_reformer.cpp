// hf_Reformer: Kitaev et al., Reformer: The Efficient Transformer (2020), as a masked language model of Hugging Face's
// transformers: local and hashed attention by turns, reversible layers, axial positions.
#include "suite/blocks/reversible_layers.hpp"
#include "suite/blocks/transformer_encoder.hpp"

namespace tbci::suite::models::hf_reformer {
namespace {

namespace nn = torch::nn;

struct Shape {
  std::int64_t vocabulary;
  std::array<std::int64_t, 2> grid;    // rows and columns: their product is the length of a text
  std::array<std::int64_t, 2> widths;  // of a row's and of a column's part of the position
  int layers;
  reformer::LayerShape layer;
};

// A position is that of a row and that of a column, side by side.
class AxialPositions : public nn::Module {
 public:
  explicit AxialPositions(const Shape& shape) : shape_(shape) {
    rows_ = register_parameter("rows", torch::randn({shape.grid[0], 1, shape.widths[0]}));
    columns_ = register_parameter("columns", torch::randn({1, shape.grid[1], shape.widths[1]}));
  }

  torch::Tensor forward(const torch::Tensor& words) {
    const std::int64_t batch = words.size(0), length = words.size(1);
    const torch::Tensor rows = rows_.expand({batch, shape_.grid[0], shape_.grid[1], -1});
    const torch::Tensor columns = columns_.expand({batch, shape_.grid[0], shape_.grid[1], -1});
    if (is_training()) {  // a whole text; whole columns are dropped
      const torch::Tensor all = torch::cat({rows, columns}, -1).transpose(2, 1);
      const torch::Tensor some = torch::feature_dropout(all, shape_.layer.dropout, true);
      return some.transpose(2, 1).reshape({batch, length, -1});
    }
    const auto numbers = torch::TensorOptions().device(words.device()).dtype(torch::kLong);
    const torch::Tensor places = torch::arange(length, numbers).unsqueeze(0).expand({batch, length});
    const std::int64_t last = places.max().item<std::int64_t>();
    const std::int64_t needed = last / shape_.grid[1] + 1;
    const torch::Tensor all = torch::cat({rows.slice(1, 0, needed), columns.slice(1, 0, needed)}, -1);
    const torch::Tensor flat = all.reshape({batch, -1, all.size(-1)});
    Tensors chosen;
    for (std::int64_t i = 0; i < batch; ++i) {
      chosen.push_back(torch::index_select(flat[i], 0, places[i]).unsqueeze(0));
    }
    return torch::cat(chosen, 0);
  }

 private:
  Shape shape_;
  torch::Tensor rows_, columns_;
};

class Reformer : public nn::Module {
 public:
  explicit Reformer(const Shape& shape) : dropout_(shape.layer.dropout) {
    const std::int64_t width = shape.layer.width;
    words_ = register_module("word_embeddings", nn::Embedding(shape.vocabulary, width));
    positions_ = register_module("position_embeddings", std::make_shared<AxialPositions>(shape));
    for (int i = 0; i < shape.layers; ++i) {
      std::shared_ptr<reformer::Attention> attention;
      if (i % 2 == 0)
        attention = std::make_shared<reformer::LocalAttention>(shape.layer);
      else
        attention = std::make_shared<reformer::HashedAttention>(shape.layer);
      const auto layer = std::make_shared<reformer::Layer>(attention, shape.layer);
      layers_.push_back(register_module("layer" + std::to_string(i), layer));
    }
    norm_ = register_module("norm", nn::LayerNorm(nn::LayerNormOptions({2 * width}).eps(1e-12)));
    head_ = register_module("head", OneLinear(2 * width, shape.vocabulary));
    encoder::initialise(*this);
  }

  torch::Tensor forward(const torch::Tensor& words) {
    const torch::Tensor meaning = torch::dropout(words_->forward(words), dropout_, is_training());
    const torch::Tensor x = meaning + positions_->forward(words);
    const torch::Tensor both = reformer::run_reversibly(torch::cat({x, x}, -1), layers_);
    return head_->forward(torch::dropout(norm_->forward(both), dropout_, is_training()));
  }

 private:
  double dropout_;
  nn::Embedding words_{nullptr};
  std::shared_ptr<AxialPositions> positions_;
  reformer::Layers layers_;
  nn::LayerNorm norm_{nullptr};
  OneLinear head_{nullptr};
};

std::unique_ptr<Workload> make(const Setup& setup) {
  const Shape shape = by_size<Shape>(
      setup,
      {.vocabulary = 320,
       .grid = {64, 64},
       .widths = {64, 192},
       .layers = 6,
       .layer = {.width = 256, .heads = 12, .head_width = 64, .inner = 512, .chunk = 64, .buckets = 128}},
      {.vocabulary = 320,
       .grid = {16, 16},
       .widths = {8, 24},
       .layers = 6,
       .layer = {.width = 32, .heads = 4, .head_width = 16, .inner = 64, .chunk = 16, .buckets = 32}});
  // TorchBench takes half the words for inference on a CPU.
  const std::int64_t all = shape.grid[0] * shape.grid[1];
  const std::int64_t length = setup.mode == Mode::infer && setup.device.is_cpu() ? all / 2 : all;
  return encoder::word_guessing_workload(setup, std::make_shared<Reformer>(shape),
                                         {.vocabulary = shape.vocabulary, .length = length});
}

}  // namespace

std::vector<Benchmark> benchmarks() {
  return {{.name = "hf_Reformer",
           .domain = "nlp",
           .task = "language modeling",
           .source = "Hugging Face transformers (Reformer)",
           .parameters = 5975872,
           .paper_batch = {.train = 8, .infer = 1},
           .ci_batch = {.train = 3, .infer = 20},
           .make = make,
           .differs = "the backward pass repeats the dropout of hashed attention, which differs from the forward pass "
                      "in the original; the head's bias is added, as it was before transformers 5"}};
}

}  // namespace tbci::suite::models::hf_reformer
