// functorch_dp_cifar10 and opacus_cifar10: ResNet-18 with group norms (He et al., 2015; Wu and He, 2018) learns
// CIFAR-10 by differentially private steps: gradients of single samples by functorch's vmap in one, by the hooks of
// Opacus (Yousefpour et al., 2021) in the other.
#include "suite/blocks/sample_gradients.hpp"

namespace tbci::suite::models::dp_cifar10 {
namespace {

Benchmark benchmark(const std::string& name, const std::string& source, std::int64_t parameters, std::int64_t classes,
                    const BatchSizes& ci, GradientsOfSamples gradients) {
  const auto make = [classes, gradients](const Setup& setup) {
    return private_workload(setup, {.width = by_size(setup, 64, 16), .classes = classes}, gradients);
  };
  return {.name = name,
          .domain = "other",
          .task = "other",
          .source = source,
          .parameters = parameters,
          .paper_batch = {.train = 64, .infer = 64},
          .ci_batch = ci,
          .make = make};
}

}  // namespace

std::vector<Benchmark> benchmarks() {
  return {benchmark("functorch_dp_cifar10", "pytorch/functorch", 11689512, 1000, {.train = 4, .infer = 192},
                    gradients_by_vmap),
          benchmark("opacus_cifar10", "pytorch/opacus", 11181642, 10, {.train = 5, .infer = 192}, gradients_by_hooks)};
}

}  // namespace tbci::suite::models::dp_cifar10
