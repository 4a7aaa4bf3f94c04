#include "tests/catch.hpp"
#include "tests/suite/model_check.hpp"

using namespace tbci::suite;

TEST_CASE("Models: timm_efficientnet", "[suite]") {
  check_model({.name = "timm_efficientnet",
               .outputs = {{2, 100}},
               .published = 5288548,
               .published_by = "timm 1.0.31, counted (efficientnet_b0)",
               .train_batch = 8});
}
