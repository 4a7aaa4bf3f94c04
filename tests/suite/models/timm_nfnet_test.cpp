#include "tests/catch.hpp"
#include "tests/suite/model_check.hpp"

using namespace tbci::suite;

TEST_CASE("Models: timm_nfnet", "[suite]") {
  check_model({.name = "timm_nfnet",
               .outputs = {{2, 100}},
               .published = 71489284,
               .published_by = "timm 1.0.31, counted (dm_nfnet_f0)",
               .train_batch = 8});
}
