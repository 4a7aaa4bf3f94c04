#include "tests/catch.hpp"
#include "tests/suite/frozen.hpp"
#include "tests/suite/model_check.hpp"

using namespace tbci::suite;

namespace {

// Boxes, scores, classes and masks of each of two images.
void check(const std::string& name, std::int64_t published, const std::vector<std::string>& unreached) {
  check_model({.name = name,
               .outputs = {{any, 4}, {any}, {any}, {any, 72, 96}, {any, 4}, {any}, {any}, {any, 72, 96}},
               .published = published,
               .published_by = "detectron2 at 02b5c4e2, counted",
               .train_batch = 2,
               .unreached = unreached});
}

}  // namespace

TEST_CASE("Models: detectron2_maskrcnn", "[suite]") {
  check("detectron2_maskrcnn", 44343216, {});
}
TEST_CASE("Models: detectron2_maskrcnn_r_50_c4", "[suite]") {
  check("detectron2_maskrcnn_r_50_c4", 35909612, frozen_parameters());
}
TEST_CASE("Models: detectron2_maskrcnn_r_50_fpn", "[suite]") {
  check("detectron2_maskrcnn_r_50_fpn", 44343216, frozen_parameters());
}
TEST_CASE("Models: detectron2_maskrcnn_r_101_c4", "[suite]") {
  check("detectron2_maskrcnn_r_101_c4", 54849516, frozen_parameters());
}
TEST_CASE("Models: detectron2_maskrcnn_r_101_fpn", "[suite]") {
  check("detectron2_maskrcnn_r_101_fpn", 63283120, frozen_parameters());
}
