#include "tests/catch.hpp"
#include "tests/suite/model_check.hpp"

using namespace tbci::suite;

TEST_CASE("Models: pytorch_unet", "[suite]") {
  check_model({.name = "pytorch_unet",
               .outputs = {{2, 2, 80, 119}},
               .published = 17267458,
               .published_by = "milesial/Pytorch-UNet as in pytorch/benchmark, counted"});
}
