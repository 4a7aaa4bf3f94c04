#include "suite/blocks/meta_gradients.hpp"
#include "tests/suite/model_check.hpp"
#include "tests/suite/torch_and_catch.hpp"

using namespace tbci::suite;

namespace {

struct Problem {
  Tensors weights;
  Tasks tasks;
};

// A narrow network and three tasks, in double precision.
Problem problem() {
  torch::manual_seed(5);
  const auto options = torch::TensorOptions().dtype(torch::kDouble);
  constexpr std::int64_t width = 6;
  Problem p{{}, Tasks::make({.tasks = 3, .support = 2, .query = 3}, torch::Device(torch::kCPU))};
  p.tasks.support = p.tasks.support.to(torch::kDouble);
  p.tasks.query = p.tasks.query.to(torch::kDouble);
  std::int64_t channels = 1;
  for (std::size_t i = 0; i < convolution_stages; ++i) {
    p.weights.push_back(0.3 * torch::randn({width, channels, 3, 3}, options));
    p.weights.push_back(0.1 * torch::randn({width}, options));
    p.weights.push_back(1.0 + 0.1 * torch::randn({width}, options));
    p.weights.push_back(0.1 * torch::randn({width}, options));
    channels = width;
  }
  p.weights.push_back(0.3 * torch::randn({Tasks::ways, width}, options));
  p.weights.push_back(0.1 * torch::randn({Tasks::ways}, options));
  for (torch::Tensor& weight : p.weights) weight.requires_grad_(true);
  return p;
}

// The loss with weights moved by `shift`.
double loss_at(MetaGradient gradient, const Problem& p, const Tensors& shift, double times) {
  Tensors moved;
  for (std::size_t i = 0; i < shift.size(); ++i) {
    moved.push_back((p.weights[i] + times * shift[i]).detach().requires_grad_(true));
  }
  return gradient(moved, p.tasks).item<double>();
}

// The loss after five steps changes along any direction as the gradient through those steps says. A gradient of first
// order fails this.
void check_against_differences(MetaGradient gradient) {
  const Problem p = problem();
  gradient(p.weights, p.tasks);
  for (std::size_t which = 0; which < p.weights.size(); ++which) {
    INFO("weight " << which);
    Tensors direction;
    for (std::size_t i = 0; i < p.weights.size(); ++i) {
      direction.push_back(i == which ? torch::randn_like(p.weights[i]) : torch::zeros_like(p.weights[i]));
    }
    constexpr double step = 1e-7;
    const double up = loss_at(gradient, p, direction, step), down = loss_at(gradient, p, direction, -step);
    const double said = (p.weights[which].grad() * direction[which]).sum().item<double>();
    CHECK((up - down) / (2.0 * step) == tbci::test::Approx(said).epsilon(1e-4).margin(1e-5));
  }
}

}  // namespace

TEST_CASE("Models: maml_omniglot", "[suite]") {
  check_model({.name = "maml_omniglot", .outputs = {{2, 5}}});
}

TEST_CASE("Models: functorch_maml_omniglot", "[suite]") {
  check_model({.name = "functorch_maml_omniglot", .outputs = {{2, 5}}});
}

TEST_CASE("Models: maml_omniglot has gradients of second order", "[suite]") {
  check_against_differences(meta_gradient_one_by_one);
}

TEST_CASE("Models: functorch_maml_omniglot has gradients of second order", "[suite]") {
  check_against_differences(meta_gradient_all_at_once);
}

TEST_CASE("Models: all tasks at once give the same results as one by one", "[suite]") {
  const Problem one_by_one = problem(), at_once = problem();
  const double loss = meta_gradient_one_by_one(one_by_one.weights, one_by_one.tasks).item<double>();
  CHECK(meta_gradient_all_at_once(at_once.weights, at_once.tasks).item<double>() == tbci::test::Approx(loss));
  for (std::size_t i = 0; i < at_once.weights.size(); ++i) {
    CHECK(torch::allclose(at_once.weights[i].grad(), one_by_one.weights[i].grad(), 1e-6, 1e-9));
  }
}
