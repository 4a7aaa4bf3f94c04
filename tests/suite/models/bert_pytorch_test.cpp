#include "tests/catch.hpp"
#include "tests/suite/model_check.hpp"

using namespace tbci::suite;

TEST_CASE("Models: BERT_pytorch", "[suite]") {
  check_model({.name = "BERT_pytorch", .outputs = {{2, 2}, {2, 32, 1005}, {}}});
}
