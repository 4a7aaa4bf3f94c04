#include "tests/suite/model_check.hpp"
#include "tests/suite/torch_and_catch.hpp"

#include "suite/blocks/rotary.hpp"

using namespace tbci::suite;

TEST_CASE("Models: hf_mixtral", "[suite]") {
  check_model({.name = "hf_mixtral", .outputs = {{2, 32, 1000}}, .large = true});
}

TEST_CASE("Models: hf_mixtral has one layer's parameters of the published one", "[.large]") {
  check_parameters({.name = "hf_mixtral",
                    .outputs = {},
                    .published = 1713418240,
                    .published_by = "transformers 5.23.0, counted (Mixtral-8x7B with one layer)"});
}

TEST_CASE("Models: a word's place turns each pair of channels by its own angle", "[suite]") {
  Rotary rotary(4, 100.0);  // angles 1 and 0.1 for each place
  const torch::Tensor places = torch::tensor({{0L, 1L, 5L}});
  const torch::Tensor x = torch::tensor({1.0F, 2.0F, 3.0F, 4.0F, 9.0F}).expand({1, 1, 3, 5});
  const torch::Tensor turned = rotate(x, rotary.forward(places))[0][0];
  for (int i = 0; i < 3; ++i) {
    const double a = places[0][i].item<double>(), b = 0.1 * a;
    const torch::Tensor expected =
        torch::tensor({std::cos(a) - 3 * std::sin(a), 2 * std::cos(b) - 4 * std::sin(b), 3 * std::cos(a) + std::sin(a),
                       4 * std::cos(b) + 2 * std::sin(b), 9.0});
    CHECK(torch::allclose(turned[i], expected.to(torch::kFloat), 1e-5, 1e-6));
  }
}
