// The inside algorithm (CKY) for sentences of a probabilistic context-free grammar, in the log semiring.
#pragma once

#include <torch/torch.h>

namespace tbci::suite {

// Logarithms of probabilities.
struct GrammarScores {
  torch::Tensor terms;  // [batch, length, terminals]: each word's, of each terminal
  torch::Tensor rules;  // [batch, nonterminals, symbols, symbols]: symbols are the nonterminals, then the terminals
  torch::Tensor roots;  // [batch, nonterminals]
};

// The logarithm of the sum over all trees of each sentence: [batch]. Its gradients are the marginals. `lengths`:
// of each sentence without its padding, at least 2.
torch::Tensor log_partition(const GrammarScores& scores, const std::vector<std::int64_t>& lengths);

}  // namespace tbci::suite
