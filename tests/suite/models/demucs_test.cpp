#include "tests/catch.hpp"
#include "tests/suite/model_check.hpp"

using namespace tbci::suite;

TEST_CASE("Models: demucs", "[suite]") {
  check_model({.name = "demucs", .outputs = {{2, 4, 2, any}, {2, 4, 2, any}, {}}, .steps = 80, .large = true});
}

TEST_CASE("Models: demucs has the parameters of the original in paper size", "[.large]") {
  check_parameters({.name = "demucs",
                    .outputs = {},
                    .published = 265679496,
                    .published_by = "facebookresearch/demucs as in pytorch/benchmark, counted"});
}
