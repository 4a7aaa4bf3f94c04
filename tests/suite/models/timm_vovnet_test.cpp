#include "tests/catch.hpp"
#include "tests/suite/model_check.hpp"

using namespace tbci::suite;

TEST_CASE("Models: timm_vovnet", "[suite]") {
  check_model({.name = "timm_vovnet",
               .outputs = {{2, 100}},
               .published = 22600296,
               .published_by = "timm 1.0.31, counted (vovnet39a)",
               .train_batch = 8});
}
