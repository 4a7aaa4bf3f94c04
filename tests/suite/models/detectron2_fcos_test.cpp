#include "tests/catch.hpp"
#include "tests/suite/frozen.hpp"
#include "tests/suite/model_check.hpp"

using namespace tbci::suite;

TEST_CASE("Models: detectron2_fcos_r_50_fpn", "[suite]") {
  check_model({.name = "detectron2_fcos_r_50_fpn",
               .outputs = {{any, 4}, {any}, {any}, {any, 4}, {any}, {any}},
               .published = 32244245,
               .published_by = "detectron2 at 02b5c4e2, counted",
               .train_batch = 2,
               .unreached = frozen_parameters()});
}
