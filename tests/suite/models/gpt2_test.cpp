#include "tests/suite/model_check.hpp"
#include "tests/suite/torch_and_catch.hpp"

#include "suite/blocks/causal_mask.hpp"

using namespace tbci::suite;

TEST_CASE("Models: hf_public_text_generator1", "[suite]") {
  check_model({.name = "hf_public_text_generator1",
               .outputs = {{2, 64, 1024}},
               .published = 124439808,
               .published_by = "Hugging Face's model card of gpt2"});
}

TEST_CASE("Models: hf_public_text_generator1_large", "[suite]") {
  check_model({.name = "hf_public_text_generator1_large", .outputs = {{2, 64, 1024}}, .large = true});
}

TEST_CASE("Models: hf_public_text_generator1_large has the parameters of the published one", "[.large]") {
  check_parameters({.name = "hf_public_text_generator1_large",
                    .outputs = {},
                    .published = 774030080,
                    .published_by = "transformers 5.23.0, counted (gpt2-large)"});
}

TEST_CASE("Models: a word sees itself and those before it in its own text", "[suite]") {
  const torch::Tensor places = torch::tensor({{0L, 1L, 2L, 0L, 1L}});  // a text of three words, then one of two
  const torch::Tensor mask = causal_mask(places, 2);
  REQUIRE(mask.sizes() == torch::IntArrayRef({2, 1, 5, 5}));
  const torch::Tensor expected = torch::tensor(
      {{1, 0, 0, 0, 0}, {1, 1, 0, 0, 0}, {1, 1, 1, 0, 0}, {0, 0, 0, 1, 0}, {0, 0, 0, 1, 1}}, torch::kBool);
  CHECK(torch::equal(mask[0][0], expected));
  CHECK(torch::equal(mask[1][0], expected));
}
