#include "tests/catch.hpp"
#include "tests/suite/model_check.hpp"

using namespace tbci::suite;

TEST_CASE("Models: phlippe_densenet", "[suite]") {
  check_model({.name = "phlippe_densenet",
               .outputs = {{2, 10}},
               .published = 239146,
               .published_by = "TorchBench's own code, counted"});
}

TEST_CASE("Models: phlippe_resnet", "[suite]") {
  check_model({.name = "phlippe_resnet",
               .outputs = {{2, 10}},
               .published = 272378,
               .published_by = "TorchBench's own code, counted"});
}
