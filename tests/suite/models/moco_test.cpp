#include "tests/catch.hpp"
#include "tests/suite/model_check.hpp"

using namespace tbci::suite;

TEST_CASE("Models: moco", "[suite]") {
  // The parameters are those that learn: the keys' encoder follows. Each iteration changes the queue.
  check_model({.name = "moco",
               .outputs = {{2, 65}, {2}},
               .published = 23770304,
               .published_by = "torchvision 0.28, resnet50 with 128 outputs, counted",
               .train_batch = 16,
               .steps = 50,
               .repeats = false});
}
