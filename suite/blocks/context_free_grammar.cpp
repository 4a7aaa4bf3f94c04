#include "suite/blocks/context_free_grammar.hpp"

#include <vector>

namespace tbci::suite {
namespace {

using torch::indexing::Slice;

// The product of matrices in the log semiring: sums are log-sum-exps, and products are sums.
torch::Tensor product(const torch::Tensor& a, const torch::Tensor& b) {
  return torch::logsumexp((a.unsqueeze(-1) + b.unsqueeze(-3)).transpose(-2, -1), -1);
}

// Scores of all spans, by their width, in two charts: one has the spans that begin at a place, the other those that end
// there, so that the two parts of all spans of one width lie side by side.
struct Charts {
  torch::Tensor from, until;  // [1, batch, place, width, nonterminals]

  void put(const torch::Tensor& spans, std::int64_t width, std::int64_t length) {
    from.slice(2, 0, length - width).select(3, width).copy_(spans);
    until.slice(2, width, length).select(3, length - width - 1).copy_(spans);
  }
};

torch::Tensor empty_chart(const torch::Tensor& like, torch::IntArrayRef shape) {
  return torch::zeros(shape, like.options()).fill_(-1e5);
}

}  // namespace

torch::Tensor log_partition(const GrammarScores& scores, const std::vector<std::int64_t>& lengths) {
  const std::int64_t batch = scores.terms.size(0), length = scores.terms.size(1);
  const std::int64_t nonterminals = scores.rules.size(1), symbols = scores.rules.size(2);
  const std::vector<std::int64_t> shape{1, batch, length, length, nonterminals};
  Charts charts{empty_chart(scores.rules, shape), empty_chart(scores.rules, shape)};
  const torch::Tensor terms = scores.terms.unsqueeze(0) + 0.0;
  const torch::Tensor rules = scores.rules.unsqueeze(0).view({1, batch, 1, nonterminals, symbols, symbols});

  const Slice inner(0, nonterminals), words(nonterminals, symbols);
  const auto part = [&](const Slice& left, const Slice& right) {
    const torch::Tensor some = rules.index({torch::indexing::Ellipsis, left, right}).contiguous();
    return some.view({1, batch, nonterminals, -1}).transpose(-2, -1);
  };
  const torch::Tensor both_inner = part(inner, inner), word_first = part(words, inner);
  const torch::Tensor word_last = part(inner, words), both_words = part(words, words);

  for (std::int64_t width = 1; width < length; ++width) {
    const std::int64_t spans = length - width;
    const auto flat = [&](const torch::Tensor& pairs) { return pairs.view({1, batch, spans, -1}); };
    const torch::Tensor left = charts.from.slice(2, 0, spans).slice(3, 0, width);
    const torch::Tensor right = charts.until.slice(2, width, length).slice(3, spans, length);
    const torch::Tensor left_word = terms.slice(2, 0, spans).unsqueeze(-1);
    const torch::Tensor right_word = terms.slice(2, width, length).unsqueeze(-2);

    std::vector<torch::Tensor> ways;
    ways.push_back(product(flat(product(left.transpose(-2, -1), right)), both_inner));
    ways.push_back(product(flat(left.select(-2, -1).unsqueeze(-1) + right_word), word_last));
    ways.push_back(product(flat(left_word + right.select(-2, 0).unsqueeze(-2)), word_first));
    if (width == 1) ways.push_back(product(flat(left_word + right_word), both_words));
    charts.put(torch::logsumexp(torch::stack(ways, -1), -1), width, length);
  }

  const torch::Tensor whole = charts.from.select(2, 0);
  std::vector<torch::Tensor> tops;
  for (std::int64_t i = 0; i < batch; ++i) {
    tops.push_back(whole.select(1, i).select(1, lengths[static_cast<std::size_t>(i)] - 1));
  }
  const torch::Tensor roots = scores.roots.unsqueeze(0);
  return product(torch::stack(tops, 1).unsqueeze(-2), roots.unsqueeze(-1)).squeeze(-1).squeeze(-1).squeeze(0);
}

}  // namespace tbci::suite
