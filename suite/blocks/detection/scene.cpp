#include "suite/blocks/detection/scene.hpp"

namespace tbci::suite {
namespace {

using torch::Tensor;

Objects draw_objects(const SceneShape& shape) {
  const auto height = static_cast<double>(shape.image.height), width = static_cast<double>(shape.image.width);
  const Tensor extent = torch::tensor({width, height});
  const Tensor sides = (torch::rand({shape.objects, 2}) * 0.5 + 0.1) * extent;
  const Tensor corner = torch::rand({shape.objects, 2}) * (extent - sides);
  const Tensor boxes = torch::cat({corner, corner + sides}, 1);
  const Tensor x = (torch::arange(width) + 0.5).view({1, 1, -1}), y = (torch::arange(height) + 0.5).view({1, -1, 1});
  const Tensor centre = (corner + 0.5 * sides).view({-1, 2, 1, 1}), half = (0.5 * sides).view({-1, 2, 1, 1});
  const Tensor away = ((x - centre.select(1, 0)) / half.select(1, 0)).square() +
                      ((y - centre.select(1, 1)) / half.select(1, 1)).square();
  return {boxes, torch::randint(shape.classes, {shape.objects}, torch::kLong), away < 1.0};
}

Tensor paint(const Objects& objects, const ImageSize& size) {
  const Tensor coarse = torch::rand({1, 3, size.height / 16 + 1, size.width / 16 + 1});
  const Tensor ground = at::upsample_bilinear2d(coarse, {size.height, size.width}, false).squeeze(0);
  Tensor image = 0.8 * ground + 0.2 * torch::rand({3, size.height, size.width});
  for (std::int64_t i = 0; i < objects.boxes.size(0); ++i) {
    const Tensor colour = torch::rand({3, 1, 1});
    image = torch::where(objects.masks[i], 0.2 * image + 0.8 * colour, image);
  }
  return image;
}

}  // namespace

Scene draw_scene(std::int64_t images, const SceneShape& shape, const torch::Device& device) {
  Scene scene;
  std::vector<Tensor> painted;
  for (std::int64_t i = 0; i < images; ++i) {
    const Objects objects = draw_objects(shape);
    painted.push_back(paint(objects, shape.image));
    scene.objects.push_back({objects.boxes.to(device), objects.classes.to(device), objects.masks.to(device)});
  }
  scene.images = torch::stack(painted).to(device);
  return scene;
}

}  // namespace tbci::suite
