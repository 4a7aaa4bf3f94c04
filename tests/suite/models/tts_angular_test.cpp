#include "tests/catch.hpp"
#include "tests/suite/model_check.hpp"

using namespace tbci::suite;

TEST_CASE("Models: tts_angular", "[suite]") {
  check_model({.name = "tts_angular", .outputs = {{2, 64}}});
}
