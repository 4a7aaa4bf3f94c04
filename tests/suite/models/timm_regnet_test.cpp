#include "tests/catch.hpp"
#include "tests/suite/model_check.hpp"

using namespace tbci::suite;

TEST_CASE("Models: timm_regnet", "[suite]") {
  check_model({.name = "timm_regnet",
               .outputs = {{2, 100}},
               .published = 51822544,
               .published_by = "timm 1.0.31, counted (regnety_120)",
               .train_batch = 8});
}
