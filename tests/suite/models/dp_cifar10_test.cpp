#include "suite/blocks/sample_gradients.hpp"
#include "tests/suite/model_check.hpp"
#include "tests/suite/torch_and_catch.hpp"

using namespace tbci::suite;

namespace {

// The gradients of every sample's loss, one sample at a time, by autograd alone.
std::vector<Tensors> one_at_a_time(GroupNormResNet& network, const torch::Tensor& images, const torch::Tensor& labels) {
  LayerCalls plain;
  std::vector<Tensors> all;
  for (std::int64_t i = 0; i < images.size(0); ++i) {
    const torch::Tensor loss =
        at::cross_entropy_loss(network.forward(images.slice(0, i, i + 1), plain), labels.slice(0, i, i + 1));
    all.push_back(torch::autograd::grad({loss}, network.parameters()));
  }
  return all;
}

void check_gradients_of_samples(GradientsOfSamples gradients) {
  torch::manual_seed(3);
  GroupNormResNet network({8, 10});
  network.to(torch::kDouble);  // with so few channels a norm is over two numbers
  {
    const torch::NoGradGuard no_gradients;  // no scale of 1 and no shift of 0, which would hide a fault
    for (torch::Tensor& parameter : network.parameters()) parameter.add_(0.1 * torch::randn_like(parameter));
  }
  const torch::Tensor images = torch::randn({3, 3, 32, 32}, torch::kDouble), labels = torch::tensor({1, 7, 3});
  const std::vector<Tensors> expected = one_at_a_time(network, images, labels);
  const SampleGradients found = gradients(network, images, labels);
  const auto named = network.named_parameters();
  REQUIRE(found.gradients.size() == named.size());
  for (std::size_t p = 0; p < found.gradients.size(); ++p) {
    for (std::size_t i = 0; i < expected.size(); ++i) {
      INFO(named[p].key() << " of sample " << i);
      CHECK(torch::allclose(found.gradients[p][static_cast<std::int64_t>(i)], expected[i][p], 1e-6, 1e-9));
    }
  }
}

}  // namespace

TEST_CASE("Models: functorch_dp_cifar10", "[suite]") {
  check_model({.name = "functorch_dp_cifar10",
               .outputs = {{2, 1000}},
               .published = 11689512,
               .published_by = "torchvision's model page, of resnet18 (a group norm has as many as a batch norm)",
               .train_batch = 64,
               .steps = 60});
}

TEST_CASE("Models: opacus_cifar10", "[suite]") {
  check_model({.name = "opacus_cifar10", .outputs = {{2, 10}}, .train_batch = 64, .steps = 60});
}

TEST_CASE("Models: functorch_dp_cifar10 has the gradients of single samples", "[suite]") {
  check_gradients_of_samples(gradients_by_vmap);
}

TEST_CASE("Models: opacus_cifar10 has the gradients of single samples", "[suite]") {
  check_gradients_of_samples(gradients_by_hooks);
}

TEST_CASE("Models: private gradients are clipped, averaged and noisy", "[suite]") {
  torch::manual_seed(1);
  // Two parameters, three samples: the norms over both are 5, 0.5 and 0.
  const Tensors of_samples{torch::tensor({3.0F, 0.3F, 0.0F}).view({3, 1}),
                           torch::tensor({4.0F, 0.4F, 0.0F}).view({3, 1})};
  const Tensors means = private_gradients(of_samples, {.largest_norm = 1.0, .noise = 0.0});
  CHECK(means[0].item<float>() == tbci::test::Approx((0.6 + 0.3) / 3));
  CHECK(means[1].item<float>() == tbci::test::Approx((0.8 + 0.4) / 3));

  const Tensors noise = private_gradients({torch::zeros({4, 100000})}, {.largest_norm = 2.0, .noise = 3.0});
  CHECK(noise[0].mean().item<double>() == tbci::test::Approx(0.0).margin(0.02));
  CHECK(noise[0].std().item<double>() == tbci::test::Approx(2.0 * 3.0 / 4).epsilon(0.02));
}
