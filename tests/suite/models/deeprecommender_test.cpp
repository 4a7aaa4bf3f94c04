#include "tests/catch.hpp"
#include "tests/suite/model_check.hpp"

using namespace tbci::suite;

TEST_CASE("Models: nvidia_deeprecommender", "[suite]") {
  check_model({.name = "nvidia_deeprecommender", .outputs = {{2, 2048}}});
}
