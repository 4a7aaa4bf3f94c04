#include "tests/suite/model_check.hpp"
#include "tests/suite/torch_and_catch.hpp"

#include "suite/blocks/networks/t5.hpp"

using namespace tbci::suite;

TEST_CASE("Models: hf_T5", "[suite]") {
  check_model({.name = "hf_T5",
               .outputs = {{2, 64, 1000}},
               .published = 60506624,
               .published_by = "transformers 5.23.0, counted (t5-small)"});
}

TEST_CASE("Models: hf_T5_base", "[suite]") {
  check_model({.name = "hf_T5_base",
               .outputs = {{2, 64, 1000}},
               .published = 222903552,
               .published_by = "transformers 5.23.0, counted (t5-base)"});
}

TEST_CASE("Models: hf_T5_large", "[suite]") {
  check_model({.name = "hf_T5_large", .outputs = {{2, 32, 1000}}, .large = true});
}

TEST_CASE("Models: hf_T5_large has the parameters of the published one", "[.large]") {
  check_parameters({.name = "hf_T5_large",
                    .outputs = {},
                    .published = 737668096,
                    .published_by = "transformers 5.23.0, counted (t5-large)"});
}

TEST_CASE("Models: hf_T5_generate", "[suite]") {
  check_model({.name = "hf_T5_generate",
               .outputs = {{2, 25}, {2, 1000}},
               .published = 60506624,
               .published_by = "transformers 5.23.0, counted (t5-small)"});
}

// Expected: 8 buckets for distances below 8, then 8 + floor(8 log(d / 8) / log(16)), at most 15; 16 more to the right.
TEST_CASE("Models: T5's encoder puts distances into buckets on both sides", "[suite]") {
  const torch::Tensor distance = torch::tensor({0L, -1L, -7L, -8L, -12L, -20L, -127L, -5000L, 1L, 7L, 12L, 5000L});
  const torch::Tensor expected = torch::tensor({0L, 1L, 7L, 8L, 9L, 10L, 15L, 15L, 17L, 23L, 25L, 31L});
  CHECK(torch::equal(t5_bucket(distance, true), expected));
}

// Expected: 16 buckets for distances below 16, then 16 + floor(16 log(d / 16) / log(8)), at most 31.
TEST_CASE("Models: T5's decoder puts distances into buckets on the left only", "[suite]") {
  const torch::Tensor distance = torch::tensor({0L, 5L, -1L, -15L, -16L, -20L, -100L, -200L});
  const torch::Tensor expected = torch::tensor({0L, 0L, 1L, 15L, 16L, 17L, 30L, 31L});
  CHECK(torch::equal(t5_bucket(distance, false), expected));
}

TEST_CASE("Models: T5 generates the same words with and without its cache", "[suite]") {
  const torch::NoGradGuard no_gradients;
  torch::manual_seed(3);
  T5 model({100, 32, 64, 2, 4, 8});
  model.eval();
  model.named_parameters()["shared.weight"].mul_(0.05);  // with more, each word is the likeliest after itself
  const torch::Tensor words = torch::randint(1, 100, {3, 40}, torch::kLong);
  const torch::Tensor written = model.generate(words, 9).words;
  REQUIRE(written.sizes() == torch::IntArrayRef({3, 10}));
  REQUIRE(std::get<0>(torch::_unique(written)).numel() > 4);
  torch::Tensor text = torch::zeros({3, 1}, torch::kLong);
  for (int i = 0; i < 9; ++i) {
    const torch::Tensor next = model.forward(words, text).select(1, -1).argmax(-1);
    text = torch::cat({text, next.unsqueeze(1)}, 1);
  }
  CHECK(torch::equal(written, text));
}
