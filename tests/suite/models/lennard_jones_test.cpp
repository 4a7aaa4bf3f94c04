#include "tests/catch.hpp"
#include "tests/suite/model_check.hpp"

using namespace tbci::suite;

TEST_CASE("Models: lennard_jones", "[suite]") {
  check_model({.name = "lennard_jones", .outputs = {{2, 1}, {2, 3}}, .train_batch = 256, .steps = 40});
}
