#include "suite/blocks/detection/roi_align.hpp"

#include <algorithm>
#include <cmath>

#include "suite/blocks/detection/boxes.hpp"

namespace tbci::suite {
namespace {

using torch::Tensor;

// One direction of all boxes: where a box starts, how long its bins are, how many points each has.
struct Extent {
  Tensor start, bin, points;
};

Extent extent(const Tensor& boxes, std::int64_t first_column, const RoiAlign& how) {
  const double shift = how.aligned ? 0.5 : 0.0;
  const Tensor start = boxes.select(1, first_column) * how.scale - shift;
  Tensor length = boxes.select(1, first_column + 2) * how.scale - shift - start;
  if (!how.aligned) length = length.clamp_min(1.0);
  const Tensor bin = length / static_cast<double>(how.side);
  const Tensor points = how.samples > 0 ? at::full_like(bin, how.samples) : at::ceil(bin).clamp_min(0.0);
  return {start, bin, points.to(torch::kLong)};
}

// One direction of all points: the two pixels that a point is between, and its part of the second.
struct Between {
  Tensor low, high, part, inside;
};

Between between(const Tensor& where, std::int64_t pixels) {
  const double last = static_cast<double>(pixels - 1);
  const Tensor inside = (where >= -1.0).logical_and_(where <= static_cast<double>(pixels));
  const Tensor place = where.clamp(0.0, last);
  const Tensor low = at::floor(place);
  return {low.to(torch::kLong), (low + 1).clamp_max(last).to(torch::kLong), place - low, inside};
}

// All points of all boxes, one after the other: boxes may have different numbers of them.
struct Points {
  Tensor bin;  // the row of the result that it belongs to
  std::vector<Tensor> pixels, weights;
};

Points points_of(const Tensor& boxes, const RoiAlign& how, std::int64_t height, std::int64_t width) {
  const Extent x = extent(boxes, 1, how), y = extent(boxes, 2, how);
  const Tensor of_bin = x.points * y.points;
  const Tensor of_box = of_bin * (how.side * how.side);
  const Tensor box = at::repeat_interleave(of_box);
  const Tensor number = at::arange(box.size(0), box.options()) - (at::cumsum(of_box, 0) - of_box).index({box});

  // A box's points are ordered by the row and column of the bin, then by row and column within the bin.
  const Tensor columns = x.points.index({box}), rows = y.points.index({box}), each = of_bin.index({box});
  const Tensor bin = at::floor_divide(number, each), rest = at::remainder(number, each);
  const Tensor bin_y = at::floor_divide(bin, how.side), bin_x = at::remainder(bin, how.side);
  const auto place = [&box](const Extent& e, const Tensor& of, const Tensor& within, const Tensor& count) {
    return e.start.index({box}) + e.bin.index({box}) * (of + (within + 0.5) / count);
  };
  const Between v = between(place(y, bin_y, at::floor_divide(rest, columns), rows), height);
  const Between h = between(place(x, bin_x, at::remainder(rest, columns), columns), width);

  const Tensor share = v.inside.logical_and(h.inside) / each;
  const Tensor image = boxes.select(1, 0).to(torch::kLong).index({box}) * height;
  const Tensor above = (image + v.low) * width, below = (image + v.high) * width;
  const Tensor of_above = share * (1 - v.part), of_below = share * v.part;
  return {box * (how.side * how.side) + bin,
          {above + h.low, above + h.high, below + h.low, below + h.high},
          {of_above * (1 - h.part), of_above * h.part, of_below * (1 - h.part), of_below * h.part}};
}

}  // namespace

Tensor roi_align(const Tensor& features, const Tensor& boxes, const RoiAlign& how) {
  const std::int64_t channels = features.size(1);
  const Points points = points_of(boxes, how, features.size(2), features.size(3));
  const Tensor pixels = features.permute({0, 2, 3, 1}).reshape({-1, channels});
  const Tensor bins = at::zeros({boxes.size(0) * how.side * how.side, channels}, features.options());
  // Not all points at once: at a thousand boxes with a thousand channels they would take gigabytes.
  const std::int64_t most = std::max<std::int64_t>(1, (std::int64_t{1} << 25) / channels);
  for (std::int64_t first = 0; first < points.bin.size(0); first += most) {
    const auto part = [&](const Tensor& of) { return of.slice(0, first, first + most); };
    Tensor sum;
    for (std::size_t i = 0; i < points.pixels.size(); ++i) {
      const Tensor term = pixels.index_select(0, part(points.pixels[i])) * part(points.weights[i]).unsqueeze(1);
      sum = sum.defined() ? sum + term : term;
    }
    bins.index_add_(0, part(points.bin), sum);
  }
  return bins.view({boxes.size(0), how.side, how.side, channels}).permute({0, 3, 1, 2}).contiguous();
}

Tensor with_image_number(const std::vector<Tensor>& boxes) {
  std::vector<Tensor> all;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const Tensor image = at::full_like(boxes[i].slice(1, 0, 1), static_cast<double>(i));
    all.push_back(at::cat({image, boxes[i]}, 1));
  }
  return at::cat(all);
}

Tensor RoiPooler::operator()(const std::vector<Tensor>& features, const std::vector<Tensor>& boxes) const {
  const Tensor rois = with_image_number(boxes);
  const auto at_level = [&](std::size_t level, const Tensor& chosen) {
    return roi_align(features[level], chosen, {side, 1.0 / static_cast<double>(strides[level]), samples, aligned});
  };
  if (strides.size() == 1) return at_level(0, rois);

  const double lowest = std::log2(static_cast<double>(strides.front()));
  const double highest = std::log2(static_cast<double>(strides.back()));
  const Tensor sides = at::sqrt(box_area(rois.slice(1, 1, 5)));
  const Tensor fitting = at::floor(4.0 + at::log2(sides / canonical_side + before_log) + after_log);
  const Tensor levels = fitting.clamp(lowest, highest).to(torch::kLong) - static_cast<std::int64_t>(lowest);
  Tensor pooled = at::zeros({rois.size(0), features[0].size(1), side, side}, features[0].options());
  for (std::size_t level = 0; level < strides.size(); ++level) {
    const Tensor which = at::nonzero(levels == static_cast<std::int64_t>(level)).squeeze(1);
    pooled.index_put_({which}, at_level(level, rois.index({which})));
  }
  return pooled;
}

}  // namespace tbci::suite
