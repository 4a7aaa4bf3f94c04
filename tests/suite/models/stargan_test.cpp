#include "tests/catch.hpp"
#include "tests/suite/model_check.hpp"

using namespace tbci::suite;

TEST_CASE("Models: public_image_generator1", "[suite]") {
  // The generator does not learn in the iteration that TorchBench runs: the critic's step is four times out of five.
  std::vector<std::string> generator;
  constexpr int of_discriminator = 14, of_generator = 52;
  for (int i = 0; i < of_generator; ++i) generator.push_back(std::to_string(of_discriminator + i));
  check_model({.name = "public_image_generator1",
               .outputs = {{2, 3, 64, 64}},
               .published = 53192576,
               .published_by = "its author's networks of pytorch/benchmark, generator and discriminator, counted",
               .unreached = generator});
}
