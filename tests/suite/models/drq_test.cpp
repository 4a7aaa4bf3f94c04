#include "tests/catch.hpp"
#include "tests/suite/model_check.hpp"

using namespace tbci::suite;

TEST_CASE("Models: drq", "[suite]") {
  check_model({.name = "drq", .outputs = {{2}}, .train_batch = 8, .steps = 100});
}
