#include "tests/catch.hpp"
#include "tests/suite/frozen.hpp"
#include "tests/suite/model_check.hpp"

using namespace tbci::suite;

TEST_CASE("Models: vision_maskrcnn", "[suite]") {
  // Boxes, classes, scores and masks of each of two images.
  check_model({.name = "vision_maskrcnn",
               .outputs = {{any, 4}, {any}, {any}, {any, 1, 72, 96}, {any, 4}, {any}, {any}, {any, 1, 72, 96}},
               .published = 44401393,
               .published_by = "torchvision's model page",
               .train_batch = 2,
               .unreached = frozen_parameters()});
}
