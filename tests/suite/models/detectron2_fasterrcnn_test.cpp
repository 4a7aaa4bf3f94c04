#include "tests/catch.hpp"
#include "tests/suite/frozen.hpp"
#include "tests/suite/model_check.hpp"

using namespace tbci::suite;

namespace {

// Boxes, scores and classes of each of two images.
void check(const std::string& name, std::int64_t published) {
  check_model({.name = "detectron2_fasterrcnn_" + name,
               .outputs = {{any, 4}, {any}, {any}, {any, 4}, {any}, {any}},
               .published = published,
               .published_by = "detectron2 at 02b5c4e2, counted",
               .train_batch = 2,
               .unreached = frozen_parameters()});
}

}  // namespace

TEST_CASE("Models: detectron2_fasterrcnn_r_50_c4", "[suite]") {
  check("r_50_c4", 33791644);
}
TEST_CASE("Models: detectron2_fasterrcnn_r_50_dc5", "[suite]") {
  check("r_50_dc5", 165581468);
}
TEST_CASE("Models: detectron2_fasterrcnn_r_50_fpn", "[suite]") {
  check("r_50_fpn", 41699936);
}
TEST_CASE("Models: detectron2_fasterrcnn_r_101_c4", "[suite]") {
  check("r_101_c4", 52731548);
}
TEST_CASE("Models: detectron2_fasterrcnn_r_101_dc5", "[suite]") {
  check("r_101_dc5", 184521372);
}
TEST_CASE("Models: detectron2_fasterrcnn_r_101_fpn", "[suite]") {
  check("r_101_fpn", 60639840);
}
