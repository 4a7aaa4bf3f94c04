#include "tests/catch.hpp"
#include "tests/suite/model_check.hpp"

using namespace tbci::suite;

TEST_CASE("Models: pyhpc_turbulent_kinetic_energy", "[suite]") {
  check_model({.name = "pyhpc_turbulent_kinetic_energy",
               .outputs = {{32, 32, 4, 3}, {32, 32, 4, 3}, {32, 32}},
               .batch = 4096,
               .train_batch = 4096});
}
