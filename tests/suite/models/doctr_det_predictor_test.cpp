#include "suite/blocks/text_boxes.hpp"
#include "tests/suite/model_check.hpp"
#include "tests/suite/torch_and_catch.hpp"

using namespace tbci::suite;
using tbci::test::Approx;

namespace {

torch::Tensor page() {
  return torch::full({40, 60}, 0.1);
}

torch::Tensor part(const torch::Tensor& page, int y1, int y2, int x1, int x2) {
  return page.slice(0, y1, y2).slice(1, x1, x2);
}

}  // namespace

TEST_CASE("Models: doctr_det_predictor", "[suite]") {
  check_model({.name = "doctr_det_predictor",
               .outputs = {{2, 1, 128, 128}, {any, 6}},
               .published = 25412162,
               .published_by = "python-doctr 1.1.0, counted (db_resnet50)"});
}

TEST_CASE("Text boxes: a block of likely text becomes a box, enlarged by area and circumference", "[suite]") {
  const torch::Tensor map = page();
  part(map, 10, 20, 20, 40).fill_(0.9);  // 20 by 10 pixels: enlarged by 1.5 * 200 / 60 = 5 on each side
  const auto boxes = text_boxes(map);
  REQUIRE(boxes.size() == 1);
  CHECK(boxes[0].x1 == Approx(15.0 / 60));
  CHECK(boxes[0].y1 == Approx(5.0 / 40));
  CHECK(boxes[0].x2 == Approx(46.0 / 60));  // the last pixel is within the box
  CHECK(boxes[0].y2 == Approx(26.0 / 40));
  CHECK(boxes[0].score == Approx((200 * 0.9 + 31 * 0.1) / 231).epsilon(1e-5));  // with the pixels behind the end
}

TEST_CASE("Text boxes: an area that is too thin, too unlikely or within another word gives no box", "[suite]") {
  const torch::Tensor map = page();
  part(map, 5, 7, 5, 50).fill_(0.9);     // two pixels high
  part(map, 10, 20, 5, 15).fill_(0.25);  // below the threshold
  CHECK(text_boxes(map).empty());
  part(map, 10, 38, 20, 58).fill_(0.9);  // a frame
  part(map, 14, 34, 24, 54).fill_(0.1);
  part(map, 20, 28, 30, 40).fill_(0.9);  // within it
  CHECK(text_boxes(map).size() == 1);
}

TEST_CASE("Text boxes: pixels that touch at a corner are one word, those apart are two", "[suite]") {
  const torch::Tensor map = page();
  part(map, 5, 9, 5, 9).fill_(0.9);
  part(map, 9, 13, 9, 13).fill_(0.9);
  CHECK(text_boxes(map).size() == 1);
  part(map, 20, 24, 30, 36).fill_(0.9);
  CHECK(text_boxes(map).size() == 2);
}

TEST_CASE("Text boxes: a box ends at the page's border", "[suite]") {
  const torch::Tensor map = page();
  map.fill_(0.5);
  const auto boxes = text_boxes(map);
  REQUIRE(boxes.size() == 1);
  CHECK(boxes[0].x1 == 0.0F);
  CHECK(boxes[0].y1 == 0.0F);
  CHECK(boxes[0].x2 == 1.0F);
  CHECK(boxes[0].y2 == 1.0F);
  CHECK(boxes[0].score == Approx(0.5));
}
