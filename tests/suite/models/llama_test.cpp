#include "tests/catch.hpp"
#include "tests/suite/model_check.hpp"

using namespace tbci::suite;

TEST_CASE("Models: llama", "[suite]") {
  check_model({.name = "llama", .outputs = {{2, 1000}}});
}
