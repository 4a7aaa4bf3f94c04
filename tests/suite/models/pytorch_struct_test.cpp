#include "suite/blocks/context_free_grammar.hpp"

#include <cmath>
#include <functional>

#include "tests/suite/model_check.hpp"
#include "tests/suite/torch_and_catch.hpp"

using namespace tbci::suite;

TEST_CASE("Models: pytorch_struct", "[suite]") {
  check_model({.name = "pytorch_struct", .outputs = {}, .train_batch = 16});
}

namespace {

// The sum over all trees by the definition: every split, every rule.
double all_trees(const GrammarScores& scores, std::int64_t sentence, std::int64_t length) {
  const auto nonterminals = scores.rules.size(1), symbols = scores.rules.size(2);
  const std::function<double(std::int64_t, std::int64_t, std::int64_t)> of =
      [&](std::int64_t symbol, std::int64_t begin, std::int64_t end) -> double {
    if (symbol >= nonterminals) {
      return end - begin == 1 ? scores.terms[sentence][begin][symbol - nonterminals].exp().item<double>() : 0.0;
    }
    double sum = 0.0;
    for (std::int64_t middle = begin + 1; middle < end; ++middle) {
      for (std::int64_t left = 0; left < symbols; ++left) {
        for (std::int64_t right = 0; right < symbols; ++right) {
          sum += scores.rules[sentence][symbol][left][right].exp().item<double>() * of(left, begin, middle) *
                 of(right, middle, end);
        }
      }
    }
    return sum;
  };
  double sum = 0.0;
  for (std::int64_t root = 0; root < nonterminals; ++root) {
    sum += scores.roots[sentence][root].exp().item<double>() * of(root, 0, length);
  }
  return std::log(sum);
}

}  // namespace

TEST_CASE("Models: the inside algorithm sums over all trees", "[suite]") {
  torch::manual_seed(3);
  GrammarScores scores{torch::randn({2, 4, 2}), torch::randn({2, 2, 4, 4}), torch::randn({2, 2})};
  scores.rules.requires_grad_();
  const torch::Tensor sums = log_partition(scores, {4, 3});
  CHECK(std::abs(sums[0].item<double>() - all_trees(scores, 0, 4)) < 1e-4);
  CHECK(std::abs(sums[1].item<double>() - all_trees(scores, 1, 3)) < 1e-4);

  // The gradients are the expected numbers of uses: a tree of n words uses n - 1 rules.
  const torch::Tensor uses = torch::autograd::grad({sums.sum()}, {scores.rules})[0].sum({1, 2, 3});
  CHECK(std::abs(uses[0].item<double>() - 3.0) < 1e-4);
  CHECK(std::abs(uses[1].item<double>() - 2.0) < 1e-4);
}
