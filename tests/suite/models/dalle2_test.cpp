#include "suite/blocks/images.hpp"

#include "suite/registry.hpp"
#include "tests/suite/model_check.hpp"
#include "tests/suite/torch_and_catch.hpp"

using namespace tbci::suite;

TEST_CASE("Models: public_image_generator2", "[suite]") {
  // CLIP is frozen; the second U-Net sees neither text nor image embedding, but the original has parameters for when
  // they are dropped.
  std::vector<std::string> unreached{"prior.rotary_emb.freqs", "large.unet.null_image_embed",
                                     "large.unet.null_image_hiddens", "large.unet.null_text_embed"};
  torch::manual_seed(1);
  const auto workload =
      find_benchmark("public_image_generator2")->make({Mode::train, Size::ci, 1, torch::Device(torch::kCPU)});
  for (const auto& parameter : workload->module()->named_parameters()) {
    if (parameter.key().rfind("clip.", 0) == 0) unreached.push_back(parameter.key());
  }
  check_model({.name = "public_image_generator2",
               .outputs = {{2, 3, 32, 32}},
               .published = 379886355,
               .published_by = "lucidrains/DALLE2-pytorch 1.15.6 with openai/CLIP, counted",
               .train_batch = 16,  // large enough that the image embedding of one is dropped
               .steps = 10,
               .unreached = unreached,
               .repeats = false,  // each iteration draws its own noise
               .optimises = false});
}

TEST_CASE("Models: DALL-E 2's cubic resizing keeps a ramp a ramp away from the edges", "[suite]") {
  const torch::Tensor ramp = torch::arange(16, torch::kFloat).view({1, 1, 1, 16}).repeat({1, 1, 16, 1});
  const torch::Tensor smaller = resize_cubic(ramp, 8);
  REQUIRE(smaller.sizes() == torch::IntArrayRef({1, 1, 8, 8}));
  // The centre of pixel i is at 2 i + 0.5 of the larger image.
  const torch::Tensor expected = 2 * torch::arange(8, torch::kFloat) + 0.5;
  CHECK(torch::allclose(smaller[0][0][4].slice(0, 2, 6), expected.slice(0, 2, 6), 1e-4, 1e-4));
}

TEST_CASE("Models: DALL-E 2's blur keeps the sum and is symmetric", "[suite]") {
  torch::Tensor point = torch::zeros({1, 2, 5, 5});
  point[0][1][2][2] = 1.0;
  const torch::Tensor blurred = gaussian_blur(point, 0.6);
  CHECK(blurred[0][0].abs().sum().item<double>() == 0.0);
  CHECK(std::abs(blurred.sum().item<double>() - 1.0) < 1e-5);
  const double side = std::exp(-1 / (2 * 0.36)), whole = 1 + 2 * side;
  CHECK(std::abs(blurred[0][1][2][2].item<double>() - 1 / (whole * whole)) < 1e-5);
  CHECK(std::abs(blurred[0][1][1][2].item<double>() - side / (whole * whole)) < 1e-5);
}
