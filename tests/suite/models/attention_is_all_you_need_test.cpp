#include "tests/catch.hpp"
#include "tests/suite/model_check.hpp"

using namespace tbci::suite;

TEST_CASE("Models: attention_is_all_you_need_pytorch", "[suite]") {
  check_model({.name = "attention_is_all_you_need_pytorch", .outputs = {{2 * 15, 1000}}, .steps = 60});
}
