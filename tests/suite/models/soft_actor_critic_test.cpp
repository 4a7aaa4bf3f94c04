#include "tests/catch.hpp"
#include "tests/suite/model_check.hpp"

using namespace tbci::suite;

TEST_CASE("Models: soft_actor_critic", "[suite]") {
  check_model({.name = "soft_actor_critic", .outputs = {{400}, {1}}, .train_batch = 8, .steps = 300});
}
