#include "tests/catch.hpp"
#include "tests/suite/model_check.hpp"

using namespace tbci::suite;

TEST_CASE("Models: fambench_xlmr", "[suite]") {
  // Only features are asked for: the head that guesses words takes no part.
  check_model({.name = "fambench_xlmr",
               .outputs = {{2, 32, 48}},
               .steps = 60,
               .unreached = {"lm_head.bias", "lm_head.dense.weight", "lm_head.dense.bias", "lm_head.norm.weight",
                             "lm_head.norm.bias"},
               .large = true});
}

TEST_CASE("Models: fambench_xlmr has its 560,141,458 parameters", "[.large]") {
  check_parameters({.name = "fambench_xlmr", .outputs = {}});
}
