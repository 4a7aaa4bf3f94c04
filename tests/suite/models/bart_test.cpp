#include "tests/catch.hpp"
#include "tests/suite/model_check.hpp"

using namespace tbci::suite;

TEST_CASE("Models: hf_Bart", "[suite]") {
  check_model({.name = "hf_Bart",
               .outputs = {{2, 32, 1024}},
               .published = 139420416,
               .published_by = "transformers 5.23.0, counted (bart-base)"});
}
