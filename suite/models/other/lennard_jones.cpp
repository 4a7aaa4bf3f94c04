// lennard_jones: a small MLP learns the energy of two particles from their distance. The forces are the derivative of
// its output, so that training differentiates twice.
#include "suite/blocks/standard_workload.hpp"

namespace tbci::suite::models::lennard_jones {
namespace {

namespace nn = torch::nn;

constexpr double sigma = 0.5;    // where the potential is zero
constexpr double epsilon = 4.0;  // its depth, times 4

torch::Tensor energy_at(const torch::Tensor& r) {
  const torch::Tensor attraction = torch::pow(sigma / r, 6);
  return epsilon * (attraction * attraction - attraction);
}

torch::Tensor force_at(const torch::Tensor& r) {
  const torch::Tensor attraction = torch::pow(sigma / r, 6);
  return epsilon * (12.0 * attraction * attraction - 6.0 * attraction) / r;
}

nn::Sequential potential() {
  return nn::Sequential(nn::Linear(1, 16), nn::Tanh(), nn::Linear(16, 16), nn::Tanh(), nn::Linear(16, 16), nn::Tanh(),
                        nn::Linear(16, 16), nn::Tanh(), nn::Linear(16, 1));
}

// Energies [batch, 1] and forces [batch, 3]. The derivative has its own forward pass, as the original's jacrev.
// `training` keeps its graph.
Tensors predict(nn::Sequential& model, const torch::Tensor& displacements, bool training) {
  const torch::Tensor distances = at::linalg_vector_norm(displacements, 2, std::vector<std::int64_t>{1}, true);
  const torch::Tensor energies = model->forward(distances);
  const torch::Tensor at = distances.detach().requires_grad_(true);
  const torch::Tensor again = model->forward(at);
  const torch::Tensor slope = torch::autograd::grad({again}, {at}, {torch::ones_like(again)}, training, training)[0];
  return {energies, -slope * displacements / distances};
}

std::unique_ptr<Workload> make(const Setup& setup) {
  nn::Sequential model = potential();
  model->to(setup.device);
  const torch::Tensor r = torch::linspace(0.5, 2.0 * sigma, setup.batch).to(setup.device);
  const torch::Tensor displacements = torch::outer(r, torch::tensor({1.0F, 0.0F, 0.0F}).to(setup.device));
  const torch::Tensor distances = displacements.norm(2, 1, true);
  const torch::Tensor energies = energy_at(distances);
  const torch::Tensor forces = force_at(distances) * displacements;
  const bool training = setup.mode == Mode::train;

  const auto loss = [energies, forces](const Tensors& outputs) {
    return torch::mse_loss(outputs[0], energies) + 0.01 * torch::mse_loss(outputs[1], forces) / 3.0;
  };
  return standard_workload(
      setup, {.module = model.ptr(),
              .forward = [model, displacements, training]() mutable { return predict(model, displacements, training); },
              .loss = loss,
              .optimizer = use_adam(1e-3),
              .gradients_in_inference = true,
              .inputs = {displacements}});
}

}  // namespace

std::vector<Benchmark> benchmarks() {
  // The original takes about a millisecond: the small size has a larger batch instead of a narrower model.
  return {{.name = "lennard_jones",
           .domain = "other",
           .task = "molecular dynamics",
           .source = "muhrin/milad",
           .parameters = 865,
           .paper_batch = {.train = 1000, .infer = 1000},
           .ci_batch = {.train = 24000, .infer = 80000},
           .make = make}};
}

}  // namespace tbci::suite::models::lennard_jones
