// The parts of detectors that depend on the data, against values that others computed.
#include "suite/blocks/detection/anchors.hpp"
#include "suite/blocks/detection/boxes.hpp"
#include "suite/blocks/detection/masks.hpp"
#include "suite/blocks/detection/matching.hpp"
#include "suite/blocks/detection/nms.hpp"
#include "suite/blocks/detection/roi_align.hpp"
#include "torch_and_catch.hpp"

using namespace tbci::suite;
using torch::Tensor;

namespace {

bool near(const Tensor& a, const Tensor& b) {
  return a.sizes() == b.sizes() && torch::allclose(a, b, 1e-4, 1e-5);
}

Tensor rows(const std::vector<float>& numbers, std::int64_t columns) {
  return torch::tensor(numbers).view({-1, columns});
}

// Word by word what the definition says, one box after the other.
std::vector<std::int64_t> greedy(const Tensor& boxes, const Tensor& scores, double most_overlap) {
  const Tensor overlaps = box_iou(boxes, boxes), order = std::get<1>(scores.sort(true, 0, true));
  std::vector<std::int64_t> kept;
  for (std::int64_t i = 0; i < order.size(0); ++i) {
    const auto candidate = order[i].item<std::int64_t>();
    bool free = true;
    for (const std::int64_t better : kept) {
      free = free && !(overlaps[better][candidate].item<float>() > static_cast<float>(most_overlap));
    }
    if (free) kept.push_back(candidate);
  }
  return kept;
}

}  // namespace

TEST_CASE("Detection: boxes overlap by their areas", "[suite]") {
  const Tensor a = rows({0, 0, 10, 10, 20, 20, 30, 30}, 4), b = rows({5, 0, 15, 10, 0, 0, 10, 5}, 4);
  CHECK(near(box_iou(a, b), rows({1.0F / 3.0F, 0.5F, 0.0F, 0.0F}, 2)));
  CHECK(near(clip_boxes(rows({-5, 3, 40, 50}, 4), {20, 30}), rows({0, 3, 30, 20}, 4)));
  CHECK(near(scale_boxes(rows({1, 2, 3, 4}, 4), {10, 20}, {30, 10}), rows({0.5, 6, 1.5, 12}, 4)));
}

TEST_CASE("Detection: encoded boxes decode to themselves", "[suite]") {
  const Tensor boxes = rows({10, 10, 30, 50, 0, 0, 8, 8}, 4), targets = rows({12, 8, 40, 44, 2, 1, 6, 12}, 4);
  const BoxCoder coder({10.0, 10.0, 5.0, 5.0});
  const Tensor deltas = coder.encode(boxes, targets);
  // By hand: the first centre moves from (20, 30) to (26, 26), its sides from 20 x 40 to 28 x 36.
  CHECK(near(deltas[0], torch::tensor({3.0, -1.0, 5.0 * std::log(1.4), 5.0 * std::log(0.9)}).to(torch::kFloat)));
  CHECK(near(coder.decode(deltas, boxes), targets));
  CHECK(near(coder.decode(torch::cat({deltas, deltas}, 1), boxes), torch::cat({targets, targets}, 1)));
  const Tensor inner = rows({8, 4, 36, 52, -2, -3, 9, 8}, 4);  // contain the centres
  CHECK(near(decode_linear(encode_linear(boxes, inner), boxes), inner));
}

TEST_CASE("Detection: the generalized IoU loss has the values of its formula", "[suite]") {
  const Tensor box = rows({0, 0, 10, 10}, 4);
  CHECK(near(giou_loss(box, box), torch::tensor(0.0F)));
  // Apart: no overlap, and a hull of 30 x 10 of which 200 are covered.
  CHECK(near(giou_loss(box, rows({20, 0, 30, 10}, 4)), torch::tensor(1.0F + 1.0F / 3.0F)));
}

TEST_CASE("Detection: suppression keeps the best of boxes that overlap", "[suite]") {
  const Tensor boxes =
      rows({0, 0, 10, 10, 1, 1, 11, 11, 0, 0, 10, 4, 20, 20, 30, 30, 21, 20, 31, 30, 50, 50, 60, 60}, 4);
  const Tensor scores = torch::tensor({0.9F, 0.8F, 0.7F, 0.6F, 0.95F, 0.1F});
  CHECK(torch::equal(nms(boxes, scores, 0.5), torch::tensor({4, 0, 2, 5}, torch::kLong)));
  CHECK(nms(boxes.slice(0, 0, 0), scores.slice(0, 0, 0), 0.5).numel() == 0);

  SECTION("of chains: a box that is suppressed suppresses none") {
    torch::manual_seed(3);
    const Tensor start = torch::arange(60).to(torch::kFloat).unsqueeze(1) * 3;
    const Tensor chain = torch::cat({start, torch::zeros({60, 1}), start + 10, torch::full({60, 1}, 10.0)}, 1);
    const Tensor random = torch::rand({60});
    const Tensor kept = nms(chain, random, 0.3);
    CHECK(torch::equal(kept, torch::tensor(greedy(chain, random, 0.3), torch::kLong)));
  }
  SECTION("in blocks, where there are many") {
    torch::manual_seed(4);
    const Tensor corner = torch::rand({1500, 2}) * 400, sides = torch::rand({1500, 2}) * 40 + 5;
    const Tensor many = torch::cat({corner, corner + sides}, 1), random = torch::rand({1500});
    const Tensor kept = nms(many, random, 0.2);
    CHECK(kept.size(0) > 100);
    const Tensor overlaps = box_iou(many.index({kept}), many.index({kept})).fill_diagonal_(0.0);
    CHECK(overlaps.max().item<float>() <= 0.2F);
    // And each box that is gone overlaps a better one that stays.
    const Tensor best =
        ((box_iou(many.index({kept}), many) > 0.2) * (random.index({kept}).unsqueeze(1) >= random.unsqueeze(0))).any(0);
    CHECK(best.all().item<bool>());
  }
  SECTION("by groups, in both ways that there are") {
    const Tensor groups = torch::tensor({0, 1, 0, 0, 1, 1}, torch::kLong);
    CHECK(torch::equal(batched_nms(boxes, scores, groups, 0.5), torch::tensor({4, 0, 1, 2, 3, 5}, torch::kLong)));
    const auto times = [](const Tensor& of, std::int64_t n) { return of.repeat({n}); };
    const Tensor far = boxes.repeat({200, 1}) + torch::arange(200).repeat_interleave(6).unsqueeze(1) * 100.0;
    const Tensor kept = batched_nms(far, times(scores, 200), times(groups, 200), 0.5);  // more than 4000 numbers
    CHECK(kept.size(0) == 1200);
    CHECK(batched_nms(far, times(scores, 200), times(torch::zeros_like(groups), 200), 0.5).size(0) == 800);
  }
}

TEST_CASE("Detection: RoIAlign gives torchvision's numbers", "[suite]") {
  const Tensor features = torch::arange(40).to(torch::kFloat).view({2, 1, 4, 5}).sin();
  const Tensor boxes = rows({0, 1, 2, 13, 11, 1, 0, 0, 19, 15, 1, 6.5F, 3, 7, 15}, 5);
  // Computed with the Python version in torchvision 0.28.
  const Tensor aligned =
      torch::tensor({-0.16421130F, 0.63508785F, -0.72424448F, -0.13538563F, 0.58409828F, -0.29253504F, -0.50726753F,
                     0.51493049F, 0.57986379F, 0.58872336F, -0.59605628F, -0.55531549F});
  const Tensor shifted =
      torch::tensor({-0.23228404F, 0.63909626F, -0.66152620F, -0.20391724F, 0.45702988F, -0.17394873F, -0.54707140F,
                     0.66202044F, 0.68207121F, 0.70946664F, -0.47724411F, -0.10157027F});
  CHECK(near(roi_align(features, boxes, {2, 0.25, 0, true}).flatten(), aligned));
  CHECK(near(roi_align(features, boxes, {2, 0.25, 2, false}).flatten(), shifted));
  CHECK(roi_align(features, boxes.slice(0, 0, 0), {2, 0.25, 0, true}).sizes() == torch::IntArrayRef({0, 1, 2, 2}));

  SECTION("its gradient is that of the mean") {
    const Tensor learned = features.clone().set_requires_grad(true);
    roi_align(learned, boxes, {2, 0.25, 2, false}).sum().backward();
    // Each bin gives weights with a sum of one, where all its points are inside.
    CHECK(learned.grad().sum().item<float>() == Approx(12.0F).margin(1e-4));
  }
  SECTION("outside of the features there is nothing") {
    const Tensor away = rows({0, 100, 100, 120, 120}, 5);
    CHECK(roi_align(features, away, {2, 0.25, 2, true}).abs().sum().item<float>() == 0.0F);
  }
}

TEST_CASE("Detection: a box is pooled from the level for its size", "[suite]") {
  std::vector<Tensor> features;
  for (const std::int64_t cells : {128, 64, 32, 16}) {
    features.push_back(torch::full({1, 1, cells, cells}, static_cast<double>(cells)));
  }
  const RoiPooler pooler{7, 0, true, {4, 8, 16, 32}};
  const Tensor boxes = rows({10, 10, 110, 110, 10, 10, 130, 130, 10, 10, 240, 240, 10, 10, 500, 500}, 4);
  const Tensor pooled = pooler(features, {boxes});
  CHECK(pooled.sizes() == torch::IntArrayRef({4, 1, 7, 7}));
  CHECK(near(pooled.mean({1, 2, 3}), torch::tensor({128.0F, 64.0F, 32.0F, 16.0F})));
}

TEST_CASE("Detection: anchors are detectron2's and torchvision's", "[suite]") {
  const Tensor cell = cell_anchors({32}, {0.5, 1.0, 2.0});
  CHECK(near(cell, rows({-22.627417F, -11.313708F, 22.627417F, 11.313708F, -16, -16, 16, 16, -11.313708F, -22.627417F,
                         11.313708F, 22.627417F},
                        4)));
  CHECK(near(cell.round(), rows({-23, -11, 23, 11, -16, -16, 16, 16, -11, -23, 11, 23}, 4)));
  const Tensor square = cell_anchors({8}, {1.0});
  CHECK(near(grid_anchors(square, {{2, 2}, {8, 16}}),
             rows({-4, -4, 4, 4, 12, -4, 20, 4, -4, 4, 4, 12, 12, 4, 20, 12}, 4)));
  CHECK(near(grid_anchors(square, {{1, 1}, {8, 8}, 0.5}), rows({0, 0, 8, 8}, 4)));
  const Tensor map = torch::arange(16).view({1, 4, 2, 2});  // two anchors with two columns each
  CHECK(torch::equal(as_anchors(map, 2)[0][1], torch::tensor({8, 12}, torch::kLong)));
  CHECK(torch::equal(as_anchors(map, 2)[0][2], torch::tensor({1, 5}, torch::kLong)));
}

TEST_CASE("Detection: boxes are matched by their overlaps", "[suite]") {
  const Tensor overlaps = rows({0.8F, 0.1F, 0.5F, 0.2F, 0.0F, 0.1F, 0.6F, 0.2F}, 4);
  const Match strict = match(overlaps, {0.3, 0.7, false});
  CHECK(torch::equal(strict.object.slice(0, 0, 3), torch::tensor({0, 0, 1}, torch::kLong)));
  CHECK(torch::equal(strict.label.to(torch::kLong), torch::tensor({1, 0, -1, 0}, torch::kLong)));
  const Match generous = match(overlaps, {0.3, 0.7, true});
  CHECK(torch::equal(generous.label.to(torch::kLong), torch::tensor({1, 0, 1, 0}, torch::kLong)));

  torch::manual_seed(5);
  const Tensor labels = torch::cat({torch::ones({40}), torch::zeros({100}), torch::full({60}, -1.0)}).to(torch::kLong);
  const DrawnBoxes sample = draw(labels, {64, 0.25}, 0);
  CHECK(sample.objects.size(0) == 16);
  CHECK(sample.background.size(0) == 48);
  CHECK(labels.index({sample.objects}).eq(1).all().item<bool>());
  CHECK(labels.index({sample.background}).eq(0).all().item<bool>());
  CHECK(std::get<0>(torch::_unique2(sample.background)).size(0) == 48);
  CHECK(draw(labels.slice(0, 30, 50), {64, 0.25}, 0).objects.size(0) == 10);
}

TEST_CASE("Detection: masks are pasted where their boxes are", "[suite]") {
  const Tensor full = torch::ones({2, 1, 28, 28}), boxes = rows({2, 3, 12, 9, 0, 0, 20, 16}, 4);
  const Tensor pasted = paste_masks(full, boxes, {16, 20});
  CHECK(pasted.sizes() == torch::IntArrayRef({2, 16, 20}));
  CHECK(pasted[0].sum().item<std::int64_t>() == 60);
  CHECK(pasted[0].slice(0, 3, 9).slice(1, 2, 12).all().item<bool>());
  CHECK(pasted[1].all().item<bool>());
  const Tensor resized = resize_masks_into(full, boxes, {16, 20});
  CHECK(resized.sizes() == torch::IntArrayRef({2, 1, 16, 20}));
  CHECK(resized[0][0][6][7].item<float>() == Approx(1.0F));
  CHECK(resized[0][0][14][7].item<float>() == 0.0F);
}
