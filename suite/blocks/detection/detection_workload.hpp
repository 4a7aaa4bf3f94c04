// The workload of a detector: in training the sum of its losses on a scene, and a step of SGD.
#pragma once

#include <memory>
#include <utility>

#include "suite/blocks/detection/scene.hpp"
#include "suite/blocks/standard_workload.hpp"

namespace tbci::suite {

// With the momentum and the decay that detectors commonly have.
inline torch::optim::SGDOptions steps_with_momentum(double learning_rate) {
  return torch::optim::SGDOptions(learning_rate).momentum(0.9).weight_decay(1e-4);
}

// `detector`, not yet on its device, takes the scene and returns its losses in training, else its detections.
template <class Detector>
std::unique_ptr<Workload> detection_workload(const Setup& setup, std::shared_ptr<Detector> detector, const Scene& scene,
                                             const torch::optim::SGDOptions& steps) {
  detector->to(setup.device);
  return standard_workload(setup, {.module = detector,
                                   .forward = [detector, scene] { return detector->forward(scene); },
                                   .loss = [](const Tensors& losses) { return at::stack(losses).sum(); },
                                   .optimizer = use_sgd(steps),
                                   .inputs = {scene.images}});
}

}  // namespace tbci::suite
