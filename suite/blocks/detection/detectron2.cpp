#include "suite/blocks/detection/detectron2.hpp"

namespace tbci::suite {

using torch::Tensor;

DetectionScale detection_scale(Size size) {
  // The first picture of the validation set of COCO 2017 has 426 x 640 pixels.
  if (size == Size::paper) return {{800, 1202}, {426, 640}, 8, 80, 64, 256, 32.0};
  return {{96, 128}, {72, 96}, 3, 20, 8, 16, 8.0};
}

Scene detectron2_scene(const Setup& setup, const DetectionScale& scale) {
  Scene scene = draw_scene(setup.batch, {scale.image, scale.objects, scale.classes}, setup.device);
  scene.images *= 255.0;
  return scene;
}

Detectron2Input::Detectron2Input(std::int64_t multiple) : multiple_(multiple) {
  mean_ = register_buffer("pixel_mean", torch::tensor({103.53, 116.28, 123.675}, torch::kFloat).view({3, 1, 1}));
  deviation_ = register_buffer("pixel_std", torch::ones({3, 1, 1}));
}

Tensor Detectron2Input::forward(const Tensor& images) {
  std::vector<Tensor> all;
  for (const Tensor& image : images.unbind(0)) all.push_back((image - mean_) / deviation_);
  const auto missing = [this](std::int64_t side) { return (multiple_ - side % multiple_) % multiple_; };
  return at::constant_pad_nd(at::stack(all), {0, missing(images.size(3)), 0, missing(images.size(2))});
}

}  // namespace tbci::suite
