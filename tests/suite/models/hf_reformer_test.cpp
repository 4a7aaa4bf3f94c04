#include "tests/suite/model_check.hpp"

using namespace tbci::suite;

TEST_CASE("Models: hf_Reformer", "[suite]") {
  // Each pass draws the directions of its hashes, in inference too.
  check_model({.name = "hf_Reformer",
               .outputs = {{2, 128, 320}},
               .published = 5975872,
               .published_by = "transformers 5.23's ReformerForMaskedLM, counted",
               .repeats = false});
}
