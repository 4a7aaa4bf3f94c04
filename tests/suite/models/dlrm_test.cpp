#include "../model_check.hpp"

using namespace tbci::suite;

TEST_CASE("Models: dlrm", "[suite]") {
  check_model({.name = "dlrm", .outputs = {{2, 1}}, .train_batch = 8, .steps = 300, .large = true});
}

TEST_CASE("Models: dlrm has its eight tables of a million rows in paper size", "[.large]") {
  check_parameters({.name = "dlrm", .outputs = {}});
}
