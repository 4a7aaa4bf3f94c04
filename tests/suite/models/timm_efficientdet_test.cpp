#include "suite/blocks/networks/efficientdet_boxes.hpp"

#include <cmath>

#include "tests/suite/model_check.hpp"
#include "tests/suite/torch_and_catch.hpp"

using namespace tbci::suite;
using tbci::test::Approx;

namespace {

// One level of maps per level of the pyramid of an image, where every score is the same and every box its anchor.
efficientdet::Maps plain_maps(const ImageSize& image, std::int64_t classes, double logit) {
  efficientdet::Maps maps;
  for (const ImageSize& size : efficientdet::level_sizes(image)) {
    maps.classes.push_back(torch::full({1, 9 * classes, size.height, size.width}, logit));
    maps.boxes.push_back(torch::zeros({1, 9 * 4, size.height, size.width}));
  }
  return maps;
}

bool close(const torch::Tensor& row, std::vector<float> expected) {
  return torch::allclose(row, torch::tensor(expected), 1e-4, 1e-3);
}

}  // namespace

TEST_CASE("Models: timm_efficientdet", "[suite]") {
  check_model({.name = "timm_efficientdet",
               .outputs = {{2, 100, 6}},
               .published = 6625898,
               .published_by = "effdet 0.4.1, counted (tf_efficientdet_d1)",
               .differs_on_gpu = "boxes whose scores are nearly equal change places",
               .train_batch = 6,
               // The anchors of the two coarsest levels are larger than the small image: no object is theirs. And the
               // coarsest one has a single pixel, whose gradients are too small to change a float near 1 in two steps.
               .unreached = {"class_net.bn0_4.weight", "class_net.bn1_4.weight", "fpn.cell1.fnode7.conv.bn.weight",
                             "fpn.cell1.fnode7.edge_weights", "box_net.bn0_3.weight", "box_net.bn0_3.bias",
                             "box_net.bn0_4.weight", "box_net.bn0_4.bias", "box_net.bn1_3.weight", "box_net.bn1_3.bias",
                             "box_net.bn1_4.weight", "box_net.bn1_4.bias"}});
}

TEST_CASE("EfficientDet: anchors have three sizes and three forms around each pixel", "[suite]") {
  const torch::Tensor anchors = efficientdet::anchors({640, 640});
  REQUIRE(anchors.sizes() == torch::IntArrayRef({9 * (80 * 80 + 40 * 40 + 20 * 20 + 10 * 10 + 5 * 5), 4}));
  CHECK(close(anchors[0], {4 - 16, 4 - 16, 4 + 16, 4 + 16}));
  CHECK(close(anchors[1], {4 - 22.4F, 4 - 11.2F, 4 + 22.4F, 4 + 11.2F}));
  const auto larger = static_cast<float>(16 * std::cbrt(2.0));
  CHECK(close(anchors[3], {4 - larger, 4 - larger, 4 + larger, 4 + larger}));
  CHECK(close(anchors[9], {12 - 16, 4 - 16, 12 + 16, 4 + 16}));       // to the right
  CHECK(close(anchors[80 * 9], {4 - 16, 12 - 16, 4 + 16, 12 + 16}));  // below
  CHECK(close(anchors[80 * 80 * 9], {8 - 32, 8 - 32, 8 + 32, 8 + 32}));
}

TEST_CASE("EfficientDet: an anchor on an object has it as its target, the others are background", "[suite]") {
  const torch::Tensor anchors =
      torch::tensor({{0.F, 0.F, 10.F, 10.F}, {20.F, 20.F, 30.F, 30.F}, {50.F, 50.F, 60.F, 60.F}});
  // The first object is the first anchor moved by a pixel; the second one meets the third anchor a little only. The
  // third row is not an object.
  const efficientdet::Objects objects{
      torch::tensor({{{1.F, 0.F, 11.F, 10.F}, {58.F, 58.F, 78.F, 68.F}, {20.F, 20.F, 30.F, 30.F}}}),
      torch::tensor({{4.F, 7.F, -1.F}})};
  const efficientdet::Labels labels = efficientdet::label(anchors, objects);
  CHECK(torch::equal(labels.classes, torch::tensor({{3, -1, 6}})));
  CHECK(labels.objects.item<float>() == 2.0F);
  CHECK(close(labels.boxes[0][0], {0.0F, 0.1F, 0.0F, 0.0F}));
  CHECK(close(labels.boxes[0][1], {0.0F, 0.0F, 0.0F, 0.0F}));
  CHECK(close(labels.boxes[0][2], {0.8F, 1.3F, 0.0F, std::log(2.0F)}));
}

TEST_CASE("EfficientDet: an image without objects is all background", "[suite]") {
  const torch::Tensor anchors = torch::tensor({{0.F, 0.F, 10.F, 10.F}, {20.F, 20.F, 30.F, 30.F}});
  const auto labels = efficientdet::label(anchors, {torch::zeros({1, 2, 4}), torch::full({1, 2}, -1.0)});
  CHECK(torch::equal(labels.classes, torch::tensor({{-1, -1}})));
  CHECK(labels.objects.item<float>() == 0.0F);
  CHECK(labels.boxes.abs().sum().item<float>() == 0.0F);
}

TEST_CASE("EfficientDet: the loss is the focal loss and fifty times the Huber loss, by the number of objects",
          "[suite]") {
  const ImageSize image{128, 128};
  const torch::Tensor anchors = efficientdet::anchors(image);
  const std::int64_t classes = 3;
  const auto maps = plain_maps(image, classes, 0.0);  // each class has the probability 1/2 everywhere
  auto labels = efficientdet::label(anchors, {torch::zeros({1, 1, 4}), torch::full({1, 1}, -1.0)});
  const double of_background = 0.75 * std::pow(0.5, 1.5) * std::log(2.0);
  const auto pairs = static_cast<double>(anchors.size(0) * classes);
  CHECK(efficientdet::loss(maps, labels, classes).item<double>() == Approx(pairs * of_background).epsilon(1e-4));

  labels.classes[0][5] = 1;
  labels.objects.fill_(1.0);
  labels.boxes[0][5] = torch::tensor({0.05F, 0.3F, 0.0F, 0.0F});  // within 0.1 squared, beyond it linear
  const double of_object = 0.25 * std::pow(0.5, 1.5) * std::log(2.0);
  const double of_box = 0.5 * 0.05 * 0.05 + 0.5 * 0.1 * 0.1 + 0.1 * 0.2;
  const double expected = ((pairs - 1) * of_background + of_object) / 2.0 + 50.0 * of_box / (4.0 * 2.0);
  CHECK(efficientdet::loss(maps, labels, classes).item<double>() == Approx(expected).epsilon(1e-4));
}

TEST_CASE("EfficientDet: detections are decoded, thinned out class by class, and in the image's own pixels",
          "[suite]") {
  const ImageSize image{128, 128};
  const std::int64_t classes = 3;
  const torch::Tensor anchors = efficientdet::anchors(image);
  auto maps = plain_maps(image, classes, -10.0);
  // On the finest level, pixel (8, 8) is at 68; its anchor 0 reaches 16 pixels to each side, anchor 1 22.4 and 11.2.
  maps.classes[0][0][0 * classes + 2][8][8] = 3.0;  // class 3
  maps.classes[0][0][0 * classes + 0][8][8] = 2.0;  // class 1 at the same place
  maps.classes[0][0][1 * classes + 2][8][8] = 1.0;  // class 3, from anchor 1
  maps.boxes[0][0][0 * 4 + 1][8][8] = 0.5;          // anchor 0 moves half its width to the right
  const efficientdet::Scaling scaling{torch::tensor({{180.F, 256.F}}), torch::tensor({2.F})};
  const auto sigmoid = [](float x) { return 1.0F / (1.0F + std::exp(-x)); };

  // The image ends at 90 of 128 pixels. There, anchor 1 overlaps the moved anchor 0 by 493 / 1206 only.
  torch::Tensor found = efficientdet::detect(maps, anchors, scaling, classes, {3, 5})[0];
  REQUIRE(found.sizes() == torch::IntArrayRef({5, 6}));
  CHECK(close(found[0], {136, 104, 180, 168, sigmoid(3), 3}));
  CHECK(close(found[1], {136, 104, 180, 168, sigmoid(2), 1}));
  CHECK(close(found[2], {91.2F, 113.6F, 180, 158.4F, sigmoid(1), 3}));
  CHECK(found.slice(0, 3).abs().sum().item<float>() == 0.0F);

  // Not moved, it does by 717 / 1302.
  maps.boxes[0][0][0 * 4 + 1][8][8] = 0.0;
  found = efficientdet::detect(maps, anchors, scaling, classes, {3, 5})[0];
  CHECK(close(found[0], {104, 104, 168, 168, sigmoid(3), 3}));
  CHECK(close(found[1], {104, 104, 168, 168, sigmoid(2), 1}));
  CHECK(found.slice(0, 2).abs().sum().item<float>() == 0.0F);
}
