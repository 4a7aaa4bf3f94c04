#include "suite/blocks/detection/masks.hpp"

#include <algorithm>
#include <vector>

namespace tbci::suite {

using torch::Tensor;
using torch::indexing::Slice;

namespace {

struct Window {
  std::int64_t x1, y1, x2, y2;
};

Window window_of(const Tensor& boxes, const ImageSize& image) {
  const Tensor low = (std::get<0>(boxes.min(0)).floor().slice(0, 0, 2) - 1).clamp_min(0).to(torch::kInt);
  const auto high = [&boxes](std::int64_t column, std::int64_t limit) {
    const Tensor end = boxes.select(1, column).max().ceil() + 1;
    return end.clamp_max(static_cast<double>(limit)).to(torch::kInt).item<std::int64_t>();
  };
  return {low[0].item<std::int64_t>(), low[1].item<std::int64_t>(), high(2, image.width), high(3, image.height)};
}

// The masks as seen at the pixels of the window: [boxes, height, width].
Tensor sample(const Tensor& masks, const Tensor& boxes, const Window& window) {
  const auto edges = boxes.split(1, 1);
  const auto along = [&](std::int64_t from, std::int64_t to, std::size_t edge) {
    const Tensor pixels = at::arange(from, to, boxes.options()) + 0.5;
    return (pixels - edges[edge]) / (edges[edge + 2] - edges[edge]) * 2 - 1;
  };
  const Tensor y = along(window.y1, window.y2, 1), x = along(window.x1, window.x2, 0);
  const std::vector<std::int64_t> size{boxes.size(0), y.size(1), x.size(1)};
  const Tensor grid = at::stack({x.unsqueeze(1).expand(size), y.unsqueeze(2).expand(size)}, 3);
  return at::grid_sampler(masks, grid, /*bilinear*/ 0, /*zeros outside*/ 0, /*align_corners=*/false).select(1, 0);
}

}  // namespace

Tensor paste_masks(const Tensor& masks, const Tensor& boxes, const ImageSize& image) {
  const std::int64_t count = masks.size(0);
  const auto options = masks.options().dtype(torch::kBool);
  if (count == 0) return at::empty({0, image.height, image.width}, options);
  if (!masks.is_cpu()) return sample(masks, boxes, {0, 0, image.width, image.height}) >= 0.5;
  Tensor pasted = at::zeros({count, image.height, image.width}, options);
  for (std::int64_t i = 0; i < count; ++i) {
    const Tensor box = boxes.slice(0, i, i + 1);
    const Window window = window_of(box, image);
    const Tensor seen = sample(masks.slice(0, i, i + 1), box, window) >= 0.5;
    pasted.index_put_({Slice(i, i + 1), Slice(window.y1, window.y2), Slice(window.x1, window.x2)}, seen);
  }
  return pasted;
}

Tensor resize_masks_into(const Tensor& masks, const Tensor& boxes, const ImageSize& image) {
  const std::int64_t count = masks.size(0);
  if (count == 0) return at::empty({0, 1, image.height, image.width}, masks.options());
  const Tensor bordered = at::constant_pad_nd(masks, {1, 1, 1, 1});
  const double wider = static_cast<double>(bordered.size(-1)) / static_cast<double>(masks.size(-1));
  const Tensor centre = (boxes.slice(1, 2, 4) + boxes.slice(1, 0, 2)) * 0.5;
  const Tensor half = (boxes.slice(1, 2, 4) - boxes.slice(1, 0, 2)) * 0.5 * wider;
  const Tensor whole = at::cat({centre - half, centre + half}, 1).to(torch::kLong);
  std::vector<Tensor> pasted;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto edge = [row = whole[i]](std::int64_t column) { return row[column].item<std::int64_t>(); };
    const Window box{edge(0), edge(1), edge(2) + 1, edge(3) + 1};
    const std::int64_t height = std::max<std::int64_t>(box.y2 - box.y1, 1);
    const std::int64_t width = std::max<std::int64_t>(box.x2 - box.x1, 1);
    const Tensor mask = at::upsample_bilinear2d(bordered.slice(0, i, i + 1), {height, width}, false)[0][0];
    const Window seen{std::max<std::int64_t>(box.x1, 0), std::max<std::int64_t>(box.y1, 0),
                      std::min(box.x2, image.width), std::min(box.y2, image.height)};
    Tensor empty = at::zeros({image.height, image.width}, masks.options());
    empty.index_put_(
        {Slice(seen.y1, seen.y2), Slice(seen.x1, seen.x2)},
        mask.index({Slice(seen.y1 - box.y1, seen.y2 - box.y1), Slice(seen.x1 - box.x1, seen.x2 - box.x1)}));
    pasted.push_back(empty);
  }
  return at::stack(pasted).unsqueeze(1);
}

}  // namespace tbci::suite
