#include "tests/catch.hpp"
#include "tests/suite/model_check.hpp"

using namespace tbci::suite;

TEST_CASE("Models: dcgan", "[suite]") {
  check_model({.name = "dcgan", .outputs = {{2}}});
}
