#include "suite/blocks/detection/detectron2.hpp"

namespace tbci::suite {

using torch::Tensor;

DetectionScale detection_scale(Size size) {
  // The first picture of the validation set of COCO 2017 has 426 x 640 pixels.
  if (size == Size::paper) {
    return {.image = {.height = 800, .width = 1202},
            .original = {.height = 426, .width = 640},
            .objects = 8,
            .classes = 80,
            .width = 64,
            .channels = 256,
            .anchor = 32.0};
  }
  return {.image = {.height = 96, .width = 128},
          .original = {.height = 72, .width = 96},
          .objects = 3,
          .classes = 20,
          .width = 8,
          .channels = 16,
          .anchor = 8.0};
}

Scene detectron2_scene(const Setup& setup, const DetectionScale& scale) {
  Scene scene =
      draw_scene(setup.batch, {.image = scale.image, .objects = scale.objects, .classes = scale.classes}, setup.device);
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
