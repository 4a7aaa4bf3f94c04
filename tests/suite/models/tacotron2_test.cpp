#include "tests/catch.hpp"
#include "tests/suite/model_check.hpp"

using namespace tbci::suite;

TEST_CASE("Models: tacotron2", "[suite]") {
  // The layers before the decoder drop values in inference too, as the paper wants it.
  check_model({.name = "tacotron2",
               .outputs = {{2, 80, 32}, {2, 80, 32}, {2, 32}, {2, 32, 16}},
               .published = 28193153,
               .published_by = "NVIDIA/tacotron2 as in pytorch/benchmark, counted",
               .repeats = false});
}
