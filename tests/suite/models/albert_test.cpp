#include "tests/catch.hpp"
#include "tests/suite/model_check.hpp"

using namespace tbci::suite;

TEST_CASE("Models: hf_Albert", "[suite]") {
  check_model({.name = "hf_Albert",
               .outputs = {{2, 64, 1000}},
               .published = 11221680,
               .published_by = "transformers 5.23's AlbertForMaskedLM, counted"});
}
