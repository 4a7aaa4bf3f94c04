#include "tests/catch.hpp"
#include "tests/suite/model_check.hpp"

using namespace tbci::suite;

TEST_CASE("Models: phi_1_5", "[suite]") {
  check_model({.name = "phi_1_5", .outputs = {{2, 32, 1000}}, .large = true});
}

TEST_CASE("Models: phi_1_5 has the parameters of the published one", "[.large]") {
  check_parameters({.name = "phi_1_5",
                    .outputs = {},
                    .published = 1418270720,
                    .published_by = "transformers 5.23.0, counted (phi-1_5)"});
}
