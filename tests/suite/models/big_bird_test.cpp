#include "tests/suite/model_check.hpp"

using namespace tbci::suite;

TEST_CASE("Models: hf_BigBird", "[suite]") {
  check_model({.name = "hf_BigBird",
               .outputs = {{2, 51, 1000}},
               .published = 128111286,
               .published_by = "transformers 5.23's BigBirdForMaskedLM, counted"});
}
