#include "suite/blocks/networks/yolo.hpp"

#include "tests/suite/model_check.hpp"
#include "tests/suite/torch_and_catch.hpp"

using namespace tbci::suite;

TEST_CASE("Models: yolov3", "[suite]") {
  check_model({.name = "yolov3",
               .outputs = {{2, 756, 85}, {2, 3, 3, 4, 85}, {2, 3, 6, 8, 85}, {2, 3, 12, 16, 85}, {any, 6}, {any, 6}},
               .published = 62998749,
               .published_by = "ultralytics/yolov3 (yolov3-spp.cfg), counted"});
}

TEST_CASE("Models: yolov3 assigns an object to the cell it is in and to the anchors of its shape", "[suite]") {
  // A grid of 4 rows and 8 columns. Object 0 is 2 by 1 cells, at column 3.25 and row 1.5, in image 1, of class 7.
  const torch::Tensor objects = torch::tensor({{1.F, 7.F, 3.25F / 8, 1.5F / 4, 2.F / 8, 1.F / 4}});
  // Overlaps of shapes: 2/2 = 1; 1/16 (too small); 1/2.
  const torch::Tensor anchors = torch::tensor({{2.F, 1.F}, {0.125F, 1.F}, {1.F, 1.F}});
  const yolo::Targets targets = yolo::assign(objects, anchors, torch::zeros({2, 3, 4, 8, 85}));
  CHECK(torch::equal(targets.anchor, torch::tensor({0L, 2L})));
  CHECK(torch::equal(targets.image, torch::tensor({1L, 1L})));
  CHECK(torch::equal(targets.row, torch::tensor({1L, 1L})));
  CHECK(torch::equal(targets.column, torch::tensor({3L, 3L})));
  CHECK(torch::equal(targets.classes, torch::tensor({7L, 7L})));
  CHECK(torch::allclose(targets.boxes, torch::tensor({{0.25F, 0.5F, 2.F, 1.F}, {0.25F, 0.5F, 2.F, 1.F}})));
}

TEST_CASE("Models: yolov3's generalized IoU is that of the paper's formula", "[suite]") {
  // The same box; two unit squares side by side (no overlap, hull 2, union 2); a gap of one between them (hull 3).
  const torch::Tensor a = torch::tensor({{0.F, 0.F, 1.F, 1.F}, {0.F, 0.F, 1.F, 1.F}, {0.F, 0.F, 1.F, 1.F}});
  const torch::Tensor b = torch::tensor({{0.F, 0.F, 1.F, 1.F}, {1.F, 0.F, 1.F, 1.F}, {2.F, 0.F, 1.F, 1.F}});
  CHECK(torch::allclose(yolo::generalized_iou(a, b), torch::tensor({1.F, 0.F, -1.F / 3.F})));
}

TEST_CASE("Models: yolov3 merges what it suppresses, class by class", "[suite]") {
  // Centre, size, object, two classes. The first two boxes overlap by 9/11 and are of one class; the third is of the
  // other class; the fourth is not sure enough.
  const torch::Tensor predictions = torch::tensor({{{10.F, 10.F, 10.F, 10.F, 1.F, 0.8F, 0.1F},
                                                    {11.F, 10.F, 10.F, 10.F, 1.F, 0.4F, 0.1F},
                                                    {10.F, 10.F, 10.F, 10.F, 1.F, 0.1F, 0.6F},
                                                    {50.F, 50.F, 10.F, 10.F, 0.5F, 0.5F, 0.1F}}});
  const auto found = yolo::detections(predictions, {0.3, 0.6});
  REQUIRE(found.size() == 1);
  const float shift = 0.4F / 1.2F;  // the weighted mean of 0 and 1
  const torch::Tensor expected =
      torch::tensor({{5.F + shift, 5.F, 15.F + shift, 15.F, 0.8F, 0.F}, {5.F, 5.F, 15.F, 15.F, 0.6F, 1.F}});
  INFO(found[0]);
  CHECK(torch::allclose(found[0], expected, 1e-4, 1e-3));
}
