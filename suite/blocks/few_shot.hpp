// Few-shot tasks like those of Omniglot: pictures of handwriting, five characters per task, a few pictures of each to
// learn from (support) and some to classify (query). Here the pictures are noise around one pattern per character.
#pragma once

#include "suite/benchmark.hpp"

namespace tbci::suite {

struct FewShot {
  std::int64_t tasks;
  std::int64_t support;  // pictures of each character
  std::int64_t query;
};

struct Tasks {
  torch::Tensor support, support_labels;  // [tasks, pictures, 1, 28, 28], [tasks, pictures]
  torch::Tensor query, query_labels;

  static constexpr std::int64_t ways = 5, side = 28;

  static Tasks make(const FewShot& of, const torch::Device& device) {
    const auto on_device = torch::TensorOptions().device(device);
    const torch::Tensor characters = torch::rand({of.tasks, 1, ways, 1, side, side}, on_device);
    const auto pictures = [&](std::int64_t each) {
      const torch::Tensor noise = torch::randn({of.tasks, each, ways, 1, side, side}, on_device);
      return (characters + 0.3 * noise).view({of.tasks, each * ways, 1, side, side});
    };
    const auto labels = [&](std::int64_t each) {
      return torch::arange(ways, on_device.dtype(torch::kLong)).repeat({of.tasks, each});
    };
    const torch::Tensor support = pictures(of.support);
    return {support, labels(of.support), pictures(of.query), labels(of.query)};
  }
};

}  // namespace tbci::suite
