#include "suite/blocks/networks/painting.hpp"
#include "tests/suite/model_check.hpp"
#include "tests/suite/torch_and_catch.hpp"

using namespace tbci::suite;

TEST_CASE("Models: LearningToPaint", "[suite]") {
  // The bias of the discriminator's last layer: it is in both terms of a difference.
  check_model({.name = "LearningToPaint",
               .outputs = {{2}, {2}},
               .train_batch = 8,
               .steps = 40,
               .unreached = {"discriminator.conv4.bias"}});
}

TEST_CASE("Models: strokes are painted one over the other", "[suite]") {
  torch::manual_seed(2);
  painting::Renderer renderer({.side = 16, .width = 4, .episode = 1, .evaluated = 1, .remembered = 1});
  const torch::Tensor action = torch::rand({1, painting::strokes * painting::stroke_numbers});
  const torch::Tensor canvas = torch::rand({1, 3, 16, 16});
  const torch::Tensor found = painting::painted(action, canvas, renderer);
  for (std::int64_t colour = 0; colour < 3; ++colour) {
    torch::Tensor expected = canvas[0][colour].clone();
    for (std::int64_t i = 0; i < painting::strokes; ++i) {
      const torch::Tensor numbers = action[0].slice(0, 13 * i, 13 * i + 13);
      const torch::Tensor cover = 1 - renderer.forward(numbers.slice(0, 0, 10).unsqueeze(0))[0];
      expected = expected * (1 - cover) + cover * numbers[10 + colour];
    }
    CHECK(torch::allclose(found[0][colour], expected, 1e-5, 1e-6));
  }
}

TEST_CASE("Models: a discriminator whose gradient has length 1 pays no penalty", "[suite]") {
  torch::manual_seed(2);
  painting::Discriminator discriminator({.side = 32, .width = 8, .episode = 1, .evaluated = 1, .remembered = 1});
  const torch::Tensor real = torch::rand({2, 6, 32, 32}), fake = torch::rand({2, 6, 32, 32});
  const auto length = [&](const torch::Tensor& at) {
    const torch::Tensor point = at.detach().requires_grad_(true);
    return torch::autograd::grad({discriminator.forward(point)}, {point}, {torch::ones({2, 1})})[0].flatten(1).norm(2,
                                                                                                                    1);
  };
  // Between two equal pictures there is only that picture, so that the penalty follows from the gradient there.
  const double expected = (10.0 * (length(real) - 1).pow(2)).mean().item<double>();
  CHECK(painting::gradient_penalty(discriminator, real, real).item<double>() ==
        tbci::test::Approx(expected).epsilon(1e-4));
  const torch::Tensor penalty = painting::gradient_penalty(discriminator, real, fake);
  penalty.backward();  // through a gradient: of second order
  for (const auto& parameter : discriminator.named_parameters()) {
    const bool weight = parameter.key().find("weight") != std::string::npos;
    if (weight) CHECK(parameter.value().grad().abs().sum().item<double>() > 0.0);
  }
}
