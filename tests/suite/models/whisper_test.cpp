#include "tests/catch.hpp"
#include "tests/suite/model_check.hpp"

using namespace tbci::suite;

TEST_CASE("Models: hf_Whisper", "[suite]") {
  check_model({.name = "hf_Whisper",
               .outputs = {{2, 2}},
               .published = 8307458,
               .published_by = "transformers 5.23.0, counted"});
}
