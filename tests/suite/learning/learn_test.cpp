#include "suite/learning/learn.hpp"

#include <cmath>

#include "suite/learning/student.hpp"
#include "suite/learning/teacher.hpp"
#include "tests/suite/torch_and_catch.hpp"

using namespace tbci::suite::learning;
using tbci::test::Approx;

namespace {

Trained train_with(const std::string& over, std::int64_t amount, std::uint64_t seed = 1, bool rounded = false) {
  return train({over, amount, seed, rounded});
}

}  // namespace

TEST_CASE("Learning: a row of rank r or more is asked for with probability 1/r, and clicks come as is said",
          "[suite]") {
  const TaughtSamples drawn = draw_samples(5, 0, 40000);
  for (const double rank : {2.0, 10.0, 100.0}) {
    const double part = (drawn.ranks >= static_cast<std::int64_t>(rank) - 1).to(torch::kDouble).mean().item<double>();
    CHECK(part == Approx(1 / rank).epsilon(0.07));
  }
  const double bound = 4 * 0.5 / std::sqrt(40000.0);
  CHECK(std::abs(drawn.clicked.mean().item<double>() - drawn.probability.mean().item<double>()) < bound);
  // Among those of a high probability as well.
  const torch::Tensor likely = drawn.probability > 0.7;
  CHECK(std::abs(drawn.clicked.flatten().masked_select(likely).mean().item<double>() -
                 drawn.probability.masked_select(likely).mean().item<double>()) < 0.02);
  CHECK(drawn.dense.min().item<double>() < -0.99);
  CHECK(drawn.dense.max().item<double>() > 0.99);
}

TEST_CASE("Learning: a sample is the same wherever a batch begins, and another one in another stream", "[suite]") {
  const TaughtSamples all = draw_samples(5, 0, 100), part = draw_samples(5, 60, 40), other = draw_samples(6, 0, 100);
  CHECK(torch::equal(all.ranks.slice(1, 60), part.ranks));
  CHECK(torch::equal(all.dense.slice(0, 60), part.dense));
  CHECK(torch::equal(all.clicked.slice(0, 60), part.clicked));
  CHECK_FALSE(torch::equal(all.dense, other.dense));
}

TEST_CASE("Learning: the entropy is the loss of a model that knows the probabilities, and no other has less",
          "[suite]") {
  const torch::Tensor half = torch::full({10}, 0.5, torch::kDouble);
  CHECK(entropy_of(half) == Approx(std::log(2.0)));
  const torch::Tensor probability = draw_samples(5, 0, 1000).probability;
  const torch::Tensor log_odds = torch::logit(probability);
  CHECK(loss_of(log_odds, probability) == Approx(entropy_of(probability)).epsilon(1e-9));
  CHECK(loss_of(log_odds + 0.3, probability) > entropy_of(probability));
  CHECK(loss_of(log_odds * 0.8, probability) > entropy_of(probability));
  CHECK(std::isfinite(loss_of(torch::full({10, 1}, 1e4), half)));
}

TEST_CASE("Learning: a training is the same each time, bit for bit, and another one with another seed", "[suite]") {
  const Trained first = train_with("samples", 640), again = train_with("samples", 640);
  CHECK(first.loss == again.loss);
  CHECK(first.entropy == again.entropy);
  CHECK(train_with("samples", 640, 2).loss != first.loss);
  CHECK(train_with("samples", 640, 2).entropy == first.entropy);
}

TEST_CASE("Learning: more samples leave less above the entropy", "[suite]") {
  const Trained few = train_with("samples", 512), more = train_with("samples", 8192);
  INFO(few.loss << " " << more.loss << " " << more.entropy);
  CHECK(few.samples == 512);
  CHECK(more.loss - more.entropy < (few.loss - few.entropy) / 2);
  CHECK(more.loss > more.entropy);
}

TEST_CASE("Learning: weights that are rounded to bf16 after each step learn worse", "[suite]") {
  double rounded = 0, whole = 0;
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    rounded += train_with("samples", 16384, seed, true).loss / 3;
    whole += train_with("samples", 16384, seed).loss / 3;
  }
  INFO(rounded << " " << whole);
  CHECK(rounded > whole * 1.001);
}

TEST_CASE("Learning: what grows comes to what is asked for", "[suite]") {
  Student student(32, 1);
  CHECK(student.parameters_of_tables() == 4 * 32 * 8);
  // By hand: layers of 4 to 16 to 8, 18 to 16 to 1, products of all pairs of 5 features, and sums of 4 rows of 8.
  CHECK(student.operations_of_sample() == 3 * (2 * (64 + 128 + 288 + 16 + 5 * 5 * 8) + 4 * 8));
  const Trained computed = train_with("compute", 5000000);
  CHECK(computed.operations == Approx(5e6).epsilon(0.001));
  CHECK(computed.parameters == 32 * std::llround(2 * std::sqrt(static_cast<double>(computed.samples))));
}

TEST_CASE("Learning: the layers of students begin the same, however many rows they have", "[suite]") {
  const Student many(1000, 1);
  for (const std::int64_t rows : {1, 8, 16, 18}) {
    INFO(rows << " rows");
    const Student few(rows, 1);
    for (const auto& parameter : few.named_parameters()) {
      const torch::Tensor& other = many.named_parameters()[parameter.key()];
      if (parameter.key().rfind("table", 0) == 0)
        CHECK(parameter.value().abs().max().item<float>() <= 0.05F);
      else
        CHECK(torch::equal(parameter.value(), other));
    }
  }
}

TEST_CASE("Learning: rows that a student does not have share its last one", "[suite]") {
  Student student(4, 1);
  const torch::Tensor dense = torch::zeros({2, teacher_dense});
  const torch::Tensor ranks = torch::tensor({3, 900}, torch::kLong).expand({teacher_tables, 2});
  const torch::Tensor odds = student.forward(dense, ranks);
  CHECK(torch::equal(odds[0], odds[1]));
  CHECK_FALSE(torch::equal(student.forward(dense, torch::clamp_max(ranks, 2))[0], odds[0]));
}
