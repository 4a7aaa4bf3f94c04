#include "tests/catch.hpp"
#include "tests/suite/model_check.hpp"

using namespace tbci::suite;

TEST_CASE("Models: pytorch_CycleGAN_and_pix2pix", "[suite]") {
  check_model({.name = "pytorch_CycleGAN_and_pix2pix",
               .outputs = {{2, 3, 64, 64}},
               .published = 28285832,
               .published_by = "its authors' networks of pytorch/benchmark, two of each kind, counted",
               .train_batch = 1});
}
