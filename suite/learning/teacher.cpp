#include "suite/learning/teacher.hpp"

#include <algorithm>
#include <cmath>

#include "suite/split_mix.hpp"

namespace tbci::suite::learning {
namespace {

constexpr double click_bias = -1.2;    // a click is the rarer outcome
constexpr double row_deviation = 1.0;  // of what a row adds
constexpr double dense_weights[teacher_dense] = {0.8, -0.6, 0.4, -0.2};
constexpr double most_ranks = 1e9;

// Of a row, by its name alone: no table of a billion rows is made.
double added_by_row(std::int64_t table, std::int64_t rank) {
  SplitMix random(static_cast<std::uint64_t>(rank) * 0xd1342543de82ef95U + static_cast<std::uint64_t>(table) + 7);
  random.next();
  const double radius = std::sqrt(-2 * std::log(1 - random.unit()));
  return row_deviation * radius * std::cos(6.283185307179586 * random.unit());
}

std::int64_t draw_rank(SplitMix& random) {
  return static_cast<std::int64_t>(std::min(1 / (1 - random.unit()), most_ranks)) - 1;
}

}  // namespace

TaughtSamples draw_samples(std::uint64_t stream, std::int64_t first, std::int64_t count) {
  TaughtSamples drawn{torch::empty({count, teacher_dense}), torch::empty({teacher_tables, count}, torch::kLong),
                      torch::empty({count}, torch::kDouble), torch::empty({count, 1})};
  auto dense = drawn.dense.accessor<float, 2>();
  auto ranks = drawn.ranks.accessor<std::int64_t, 2>();
  auto probability = drawn.probability.accessor<double, 1>();
  auto clicked = drawn.clicked.accessor<float, 2>();
  const std::uint64_t of_stream = SplitMix(stream).next();
  for (std::int64_t i = 0; i < count; ++i) {
    SplitMix random(of_stream + static_cast<std::uint64_t>(first + i) * 0x9fb21c651e98df25U);
    double log_odds = click_bias;
    for (std::int64_t d = 0; d < teacher_dense; ++d) {
      dense[i][d] = static_cast<float>(2 * random.unit() - 1);
      log_odds += dense_weights[d] * static_cast<double>(dense[i][d]);
    }
    for (std::int64_t table = 0; table < teacher_tables; ++table) {
      ranks[table][i] = draw_rank(random);
      log_odds += added_by_row(table, ranks[table][i]);
    }
    probability[i] = 1 / (1 + std::exp(-log_odds));
    clicked[i][0] = random.unit() < probability[i] ? 1 : 0;
  }
  return drawn;
}

double entropy_of(const torch::Tensor& probability) {
  const torch::Tensor other = 1 - probability;
  return -(probability * probability.log() + other * other.log()).mean().item<double>();
}

double loss_of(const torch::Tensor& log_odds, const torch::Tensor& probability) {
  const torch::Tensor odds = log_odds.to(torch::kDouble).flatten();
  // -log(1 / (1 + exp(-x))) and -log(1 / (1 + exp(x))), which overflow nowhere.
  const torch::Tensor of_click = torch::log_sigmoid(odds), of_none = torch::log_sigmoid(-odds);
  return -(probability * of_click + (1 - probability) * of_none).mean().item<double>();
}

}  // namespace tbci::suite::learning
