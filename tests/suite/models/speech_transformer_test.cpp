#include "tests/catch.hpp"
#include "tests/suite/model_check.hpp"

using namespace tbci::suite;

TEST_CASE("Models: speech_transformer", "[suite]") {
  // Score and characters of each of two utterances.
  check_model({.name = "speech_transformer", .outputs = {{}, {any}, {}, {any}}, .train_batch = 2});
}
