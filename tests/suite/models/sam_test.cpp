#include "tests/catch.hpp"
#include "tests/suite/model_check.hpp"

using namespace tbci::suite;

TEST_CASE("Models: sam", "[suite]") {
  check_model({.name = "sam", .outputs = {{2, 3, 160, 240}, {2, 3}, {2, 3, 48, 48}}, .large = true});
}

TEST_CASE("Models: sam has the original's number of parameters", "[.large]") {
  check_parameters({.name = "sam",
                    .outputs = {},
                    .published = 641090608,
                    .published_by = "facebookresearch/segment-anything (ViT-H) as in pytorch/benchmark, counted"});
}
