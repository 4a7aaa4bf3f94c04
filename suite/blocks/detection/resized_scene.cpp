#include "suite/blocks/detection/resized_scene.hpp"

#include <algorithm>
#include <cmath>

namespace tbci::suite {
namespace {

using torch::Tensor;

Tensor normalised_colours(const Tensor& image) {
  const Tensor mean = torch::tensor({0.485, 0.456, 0.406}, image.options());
  const Tensor deviation = torch::tensor({0.229, 0.224, 0.225}, image.options());
  return (image - mean.view({3, 1, 1})) / deviation.view({3, 1, 1});
}

ImageSize size_after(const Resizing& r) {
  const auto [least, most] = std::minmax(r.image.height, r.image.width);
  const double factor = std::min(static_cast<double>(r.shorter) / static_cast<double>(least),
                                 static_cast<double>(r.longer) / static_cast<double>(most));
  const auto resized = [factor](std::int64_t side) {
    return static_cast<std::int64_t>(std::floor(static_cast<double>(side) * factor));
  };
  return {resized(r.image.height), resized(r.image.width)};
}

}  // namespace

ResizedScene resize_scene(const Scene& scene, const Resizing& resizing, bool with_objects) {
  const auto padded = [](std::int64_t side) { return (side + 31) / 32 * 32; };
  ResizedScene resized;
  resized.size = size_after(resizing);
  const std::vector<std::int64_t> sides{resized.size.height, resized.size.width};
  resized.images = at::zeros({scene.images.size(0), 3, padded(sides[0]), padded(sides[1])}, scene.images.options());
  for (std::int64_t i = 0; i < scene.images.size(0); ++i) {
    const Tensor image = at::upsample_bilinear2d(normalised_colours(scene.images[i]).unsqueeze(0), sides, false)[0];
    resized.images[i].slice(1, 0, sides[0]).slice(2, 0, sides[1]).copy_(image);
    if (!with_objects) continue;
    const Objects& objects = scene.objects[static_cast<std::size_t>(i)];
    const Tensor masks = at::upsample_nearest2d(objects.masks.unsqueeze(1).to(torch::kFloat), sides).squeeze(1);
    resized.objects.push_back(
        {scale_boxes(objects.boxes, resizing.image, resized.size), objects.classes, masks.to(torch::kByte)});
  }
  return resized;
}

}  // namespace tbci::suite
