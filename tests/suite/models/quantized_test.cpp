#include "suite/blocks/quantization.hpp"
#include "suite/registry.hpp"
#include "tests/suite/model_check.hpp"
#include "tests/suite/torch_and_catch.hpp"

using namespace tbci::suite;
using Catch::Matchers::WithinRel;

TEST_CASE("Models: mobilenet_v2_quantized_qat", "[suite]") {
  check_model({.name = "mobilenet_v2_quantized_qat",
               .outputs = {{1, 100}},
               .published = 3504872,
               .published_by = "torchvision's model page, of the float model",
               .infers_on_cpu_alone = true});
}

TEST_CASE("Models: resnet50_quantized_qat", "[suite]") {
  check_model({.name = "resnet50_quantized_qat",
               .outputs = {{1, 100}},
               .published = 25557032,
               .published_by = "torchvision's model page, of the float model",
               .infers_on_cpu_alone = true});
}

TEST_CASE("Quantisation: the grid covers the observed range and has a point at zero", "[suite]") {
  FakeQuantize activations(FakeQuantize::Of::activations, 1);
  activations.forward(torch::tensor({-1.0f, 0.5f, 3.0f}));
  const FakeQuantize::Grid grid = activations.grid();
  CHECK_THAT(grid.scale.item<double>(), WithinRel(4.0 / 127.0, 1e-6));
  CHECK(grid.zero_point.item<std::int64_t>() == 32);  // 1 / (4 / 127) = 31.75

  FakeQuantize weights(FakeQuantize::Of::weights, 2);
  weights.forward(torch::tensor({{-2.0f, 1.0f}, {0.25f, 0.5f}}));
  const torch::Tensor scale = weights.grid().scale;
  CHECK_THAT(scale[0].item<double>(), WithinRel(2.0 / 127.5, 1e-6));
  CHECK_THAT(scale[1].item<double>(), WithinRel(0.5 / 127.5, 1e-6));
}

TEST_CASE("Quantisation: ranges move by a hundredth of the new values", "[suite]") {
  FakeQuantize activations(FakeQuantize::Of::activations, 1);
  activations.forward(torch::tensor({0.0f, 1.0f}));
  activations.forward(torch::tensor({0.0f, 2.0f}));
  CHECK_THAT(activations.grid().scale.item<double>(), WithinRel(1.01 / 127.0, 1e-6));
}

TEST_CASE("Quantisation: a converted layer gives its float results within a step or two", "[suite]") {
  torch::manual_seed(3);
  const torch::NoGradGuard no_gradients;
  const torch::Tensor x = torch::randn({1, 8, 9, 9});
  for (const Activation activation : {Activation::none, Activation::relu, Activation::relu6}) {
    QuantizableInput input;
    QuantizableConvolution convolution({8, 16, 3, 2}, activation);
    QuantizableAdd add(true);
    for (torch::nn::Module* layer :
         {static_cast<torch::nn::Module*>(&input), static_cast<torch::nn::Module*>(&convolution),
          static_cast<torch::nn::Module*>(&add)}) {
      layer->eval();
    }
    const auto forward = [&] {
      const torch::Tensor y = convolution.forward(input.forward(x));
      return add.forward(y, y);
    };
    const torch::Tensor in_floats = forward();
    input.convert();
    convolution.convert();
    add.convert();
    const torch::Tensor integers = forward();
    REQUIRE(integers.is_quantized());
    const double step = integers.q_scale();
    CHECK((integers.dequantize() - in_floats).abs().max().item<double>() <= 2.5 * step);
    CHECK(in_floats.abs().max().item<double>() > 50.0 * step);
  }
}

TEST_CASE("Quantisation: inference on a GPU says that it is not possible", "[suite]") {
  const Benchmark* benchmark = find_benchmark("resnet50_quantized_qat");
  REQUIRE(benchmark != nullptr);
  CHECK_THROWS_AS(benchmark->make({Mode::infer, Size::ci, 1, torch::Device(torch::kCUDA)}), Unsupported);
}
