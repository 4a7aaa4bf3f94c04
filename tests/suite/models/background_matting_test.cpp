#include "tests/catch.hpp"
#include "tests/suite/model_check.hpp"

using namespace tbci::suite;

TEST_CASE("Models: Background_Matting", "[suite]") {
  // The encoder of the neighbouring frames: the original takes the background's features in place of its own.
  std::vector<std::string> neighbours;
  for (int i = 36; i < 48; ++i) neighbours.push_back(std::to_string(i));
  check_model({.name = "Background_Matting",
               .outputs = {},
               .published = 20673157,
               .published_by = "its authors' networks of pytorch/benchmark, generator and discriminator, counted",
               .train_batch = 2,
               .unreached = neighbours});
}
