#include "tests/catch.hpp"
#include "tests/suite/model_check.hpp"

using namespace tbci::suite;

TEST_CASE("Models: pyhpc_equation_of_state", "[suite]") {
  check_model({.name = "pyhpc_equation_of_state", .outputs = {{32, 32, 4}}, .batch = 4096, .train_batch = 4096});
}
