// hf_mixtral: Jiang et al., Mixtral of Experts (2024), as Hugging Face's transformers has it: for each word the router
// chooses two of eight feed-forward networks, and each network works on the words that chose it.
#include "suite/blocks/dot_product_attention.hpp"
#include "suite/blocks/rms_norm.hpp"
#include "suite/blocks/rotary_decoder.hpp"
#include "suite/blocks/text_workload.hpp"

namespace tbci::suite::models::mixtral {
namespace {

namespace nn = torch::nn;

constexpr double epsilon = 1e-5;
constexpr double rotary_base = 1e6;
constexpr std::int64_t chosen = 2;  // experts for each word

struct Shape {
  std::int64_t vocabulary;
  std::int64_t width;
  std::int64_t inner;
  std::int64_t heads;
  std::int64_t key_heads;  // each shared by several heads of queries
  std::int64_t experts;
  int layers;
  std::int64_t length;
};

class GroupedAttention : public nn::Module {
 public:
  explicit GroupedAttention(const Shape& shape) : heads_(shape.heads), key_heads_(shape.key_heads) {
    const std::int64_t narrow = shape.width / heads_ * key_heads_;
    query_ = register_module("q_proj", linear_without_bias({shape.width, shape.width}));
    key_ = register_module("k_proj", linear_without_bias({shape.width, narrow}));
    value_ = register_module("v_proj", linear_without_bias({shape.width, narrow}));
    output_ = register_module("o_proj", linear_without_bias({shape.width, shape.width}));
  }

  torch::Tensor forward(const torch::Tensor& x, const Rotation& rotation, const torch::Tensor& mask) {
    const torch::Tensor query = rotate(split_heads(query_->forward(x), heads_), rotation);
    const torch::Tensor key = rotate(split_heads(key_->forward(x), key_heads_), rotation);
    const torch::Tensor value = split_heads(value_->forward(x), key_heads_);
    return output_->forward(join_heads(attend({query, for_each_query(key), for_each_query(value), mask})));
  }

 private:
  torch::Tensor for_each_query(const torch::Tensor& x) const {
    const std::int64_t times = heads_ / key_heads_;
    const torch::Tensor repeated = x.unsqueeze(2).expand({x.size(0), key_heads_, times, x.size(2), x.size(3)});
    return repeated.reshape({x.size(0), heads_, x.size(2), x.size(3)});
  }

  std::int64_t heads_, key_heads_;
  nn::Linear query_{nullptr}, key_{nullptr}, value_{nullptr}, output_{nullptr};
};

class Expert : public nn::Module {
 public:
  explicit Expert(const Shape& shape) {
    gate_ = register_module("w1", linear_without_bias({shape.width, shape.inner}));
    narrow_ = register_module("w2", linear_without_bias({shape.inner, shape.width}));
    widen_ = register_module("w3", linear_without_bias({shape.width, shape.inner}));
  }

  torch::Tensor forward(const torch::Tensor& x) {
    return narrow_->forward(torch::silu(gate_->forward(x)) * widen_->forward(x));
  }

 private:
  nn::Linear gate_{nullptr}, narrow_{nullptr}, widen_{nullptr};
};

class SparseMixture : public nn::Module {
 public:
  explicit SparseMixture(const Shape& shape) {
    router_ = register_module("gate", linear_without_bias({shape.width, shape.experts}));
    for (std::int64_t i = 0; i < shape.experts; ++i) {
      experts_.push_back(register_module("expert" + std::to_string(i), std::make_shared<Expert>(shape)));
    }
  }

  torch::Tensor forward(const torch::Tensor& x) {
    const torch::Tensor words = x.view({-1, x.size(2)});
    auto [weights, choice] = torch::topk(torch::softmax(router_->forward(words), 1), chosen);
    weights /= weights.sum(-1, true);

    torch::Tensor result = torch::zeros_like(words);
    const auto count = static_cast<std::int64_t>(experts_.size());
    const torch::Tensor asked = torch::one_hot(choice, count).permute({2, 1, 0});  // [expert, rank, word]
    const torch::Tensor busy = torch::nonzero(asked.sum({-1, -2}) > 0);
    for (const torch::Tensor& number : busy.unbind()) {
      const Tensors rank_and_word = torch::where(asked.index({number}).squeeze(0));
      const torch::Tensor& word = rank_and_word[1];
      Expert& expert = *experts_[static_cast<std::size_t>(number.item<std::int64_t>())];
      const torch::Tensor weight = weights.index({word, rank_and_word[0]}).unsqueeze(1);
      result.index_add_(0, word, expert.forward(words.index({word})) * weight);
    }
    return result.view(x.sizes());
  }

 private:
  nn::Linear router_{nullptr};
  std::vector<std::shared_ptr<Expert>> experts_;
};

class Layer : public nn::Module {
 public:
  explicit Layer(const Shape& shape) {
    attention_ = register_module("self_attn", std::make_shared<GroupedAttention>(shape));
    mixture_ = register_module("block_sparse_moe", std::make_shared<SparseMixture>(shape));
    norm_ = register_module("input_layernorm", std::make_shared<RmsNorm>(shape.width, epsilon));
    mixture_norm_ = register_module("post_attention_layernorm", std::make_shared<RmsNorm>(shape.width, epsilon));
  }

  torch::Tensor forward(torch::Tensor x, const Rotation& rotation, const torch::Tensor& mask) {
    x = x + attention_->forward(norm_->forward(x), rotation, mask);
    return x + mixture_->forward(mixture_norm_->forward(x));
  }

 private:
  std::shared_ptr<GroupedAttention> attention_;
  std::shared_ptr<SparseMixture> mixture_;
  std::shared_ptr<RmsNorm> norm_, mixture_norm_;
};

using Mixtral = RotaryDecoder<Layer, std::shared_ptr<RmsNorm>, nn::Linear>;

std::unique_ptr<Workload> make(const Setup& setup) {
  const Shape s = by_size<Shape>(setup,
                                 {.vocabulary = 32000,
                                  .width = 4096,
                                  .inner = 14336,
                                  .heads = 32,
                                  .key_heads = 8,
                                  .experts = 8,
                                  .layers = 1,
                                  .length = 512},
                                 {.vocabulary = 1000,
                                  .width = 128,
                                  .inner = 448,
                                  .heads = 8,
                                  .key_heads = 2,
                                  .experts = 8,
                                  .layers = 2,
                                  .length = 32});
  const RotaryDecoderShape shape{.vocabulary = s.vocabulary,
                                 .width = s.width,
                                 .layers = s.layers,
                                 .rotated = s.width / s.heads,
                                 .rotary_base = rotary_base,
                                 .output_bias = false};
  const auto module =
      std::make_shared<Mixtral>(shape, s, Mixtral::LastNorm{"norm", std::make_shared<RmsNorm>(s.width, epsilon)});
  return reading_workload(setup, module, {.vocabulary = s.vocabulary, .length = s.length},
                          [module](const torch::Tensor& words) { return Tensors{module->forward(words)}; });
}

}  // namespace

std::vector<Benchmark> benchmarks() {
  return {{.name = "hf_mixtral",
           .domain = "nlp",
           .task = "language modeling",
           .source = "Hugging Face transformers (Mixtral)",
           .parameters = 1713418240,
           .paper_batch = {.train = 1, .infer = 1},
           .ci_batch = {.train = 32, .infer = 32},
           .make = make,
           .differs = "one layer in full width, not 32 of them (46.7 billion parameters)",
           .modes = {.train = false},
           .listed = Listed::later}};
}

}  // namespace tbci::suite::models::mixtral
