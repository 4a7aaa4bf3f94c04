// The blocks that no model's test looks at closely: they are shared by several.
#include <cmath>

#include "suite/blocks/channels.hpp"
#include "suite/blocks/networks/patch_discriminator.hpp"
#include "suite/blocks/networks/resnet.hpp"
#include "suite/blocks/position_codes.hpp"
#include "suite/blocks/target_network.hpp"
#include "suite/blocks/text_workload.hpp"
#include "suite/blocks/transformer_encoder.hpp"
#include "tests/suite/torch_and_catch.hpp"

using namespace tbci::suite;

namespace {

std::int64_t parameters_of(const torch::nn::Module& module) {
  std::int64_t count = 0;
  for (const torch::Tensor& parameter : module.parameters()) count += parameter.numel();
  return count;
}

bool has(const torch::nn::Module& module, const std::string& name) {
  return module.named_parameters().contains(name);
}

}  // namespace

TEST_CASE("Blocks: scaled channels are multiples of 8 and lose at most a tenth", "[suite]") {
  CHECK(scaled_channels(32, 1.0) == 32);
  CHECK(scaled_channels(32, 0.5) == 16);
  CHECK(scaled_channels(24, 0.5) == 16);  // 12 lies between 8 and 16
  CHECK(scaled_channels(16, 0.25) == 8);  // never fewer than 8
  CHECK(scaled_channels(18, 1.0) == 24);  // 16 would lose more than a tenth
  CHECK(scaled_channels(1280, 1.1) == 1408);
}

TEST_CASE("Blocks: a position is a sine in even channels and a cosine in odd ones", "[suite]") {
  const torch::Tensor codes = position_codes({5, 4});
  REQUIRE(codes.sizes() == torch::IntArrayRef({1, 5, 4}));
  for (int place = 0; place < 5; ++place) {
    const double fast = place, slow = place / 100.0;  // ten thousand to the power of 2 / 4
    CHECK(codes[0][place][0].item<double>() == Approx(std::sin(fast)).margin(1e-6));
    CHECK(codes[0][place][1].item<double>() == Approx(std::cos(fast)).margin(1e-6));
    CHECK(codes[0][place][2].item<double>() == Approx(std::sin(slow)).margin(1e-6));
    CHECK(codes[0][place][3].item<double>() == Approx(std::cos(slow)).margin(1e-6));
  }
}

TEST_CASE("Blocks: a target network moves part of the way and does not change the other network", "[suite]") {
  const torch::nn::Linear learning(2, 1), target(2, 1);
  {
    const torch::NoGradGuard no_gradients;
    for (torch::Tensor parameter : learning->parameters()) parameter.fill_(8.0);
    for (torch::Tensor parameter : target->parameters()) parameter.fill_(4.0);
  }
  follow(*learning, *target, 0.25);
  CHECK(torch::equal(target->weight, torch::full({1, 2}, 5.0)));
  CHECK(torch::equal(target->bias, torch::full({1}, 5.0)));
  CHECK(torch::equal(learning->weight, torch::full({1, 2}, 8.0)));
  follow(*learning, *target, 1.0);
  CHECK(torch::equal(target->weight, learning->weight));
}

TEST_CASE("Blocks: words are padded to whole blocks", "[suite]") {
  const torch::Tensor words = torch::full({2, 5}, 7, torch::kLong);
  const encoder::Filled filled = encoder::fill_up(words, {4, 1});
  const torch::Tensor row = torch::tensor({7, 7, 7, 7, 7, 1, 1, 1}, torch::kLong);
  CHECK(torch::equal(filled.words, row.expand({2, 8})));
  CHECK(torch::equal(filled.real, (row == 7).to(torch::kFloat).expand({2, 8})));
  const encoder::Filled whole = encoder::fill_up(words, {5, 1});
  CHECK(torch::equal(whole.words, words));
  CHECK(torch::equal(whole.real, torch::ones({2, 5})));
}

TEST_CASE("Blocks: the verdict of a patch discriminator depends on 70x70 pixels", "[suite]") {
  const auto side_seen = [](std::int64_t padding) {
    torch::manual_seed(1);
    // The norms of the real one see the whole image, so here only its convolutions are asked.
    auto layers = patch_discriminator({.width = 2, .padding = padding});
    torch::Tensor x = torch::zeros({1, 3, 256, 256}, torch::requires_grad());
    torch::Tensor y = x;
    for (const auto& child : layers->children()) {
      if (auto* convolution = child->as<torch::nn::Conv2d>()) {
        torch::nn::init::ones_(convolution->weight);
        y = convolution->forward(y);
      }
    }
    y[0][0][y.size(2) / 2][y.size(3) / 2].backward();
    return (x.grad().abs().sum({0, 1, 2}) > 0).sum().item<std::int64_t>();
  };
  CHECK(side_seen(1) == 70);
  CHECK(side_seen(2) == 70);
  const auto sides = [](std::int64_t padding) {
    return patch_discriminator({.width = 2, .padding = padding})->forward(torch::zeros({1, 3, 64, 64})).size(2);
  };
  CHECK(sides(1) == 6);
  CHECK(sides(2) == 11);
}

TEST_CASE("Blocks: a residual network has torchvision's parameters", "[suite]") {
  const auto basic = std::make_shared<ResNet>(ResNetShape{ResidualBlock::basic, {2, 2, 2, 2}, 64, 1000});
  CHECK(parameters_of(*basic) == 11689512);  // torchvision's resnet18
  CHECK(has(*basic, "layer2_0.downsample.0.weight"));
  CHECK_FALSE(has(*basic, "layer1_0.downsample.0.weight"));
  CHECK_FALSE(has(*basic, "layer2_0.conv3.weight"));
  const auto deep = std::make_shared<ResNet>(ResNetShape{ResidualBlock::bottleneck, {3, 4, 6, 3}, 64, 1000, {2, 32}});
  CHECK(parameters_of(*deep) == 25028904);  // torchvision's resnext50_32x4d
  CHECK(has(*deep, "layer1_0.downsample.0.weight"));
  CHECK(has(*deep, "layer1_0.conv3.weight"));
}

TEST_CASE("Blocks: random words begin with the first that may occur", "[suite]") {
  const Setup setup{Mode::infer, Size::ci, 64, torch::Device(torch::kCPU)};
  const auto module = std::make_shared<torch::nn::Module>();
  const auto same = [](const torch::Tensor& words) { return Tensors{words}; };
  const auto workload = reading_workload(setup, module, {5, 32, 3}, same);
  workload->iterate();
  const torch::Tensor words = workload->results()[0];
  CHECK(torch::equal(words, workload->inputs()[0]));
  CHECK(words.sizes() == torch::IntArrayRef({64, 32}));
  CHECK(words.min().item<std::int64_t>() == 3);
  CHECK(words.max().item<std::int64_t>() == 4);
}

TEST_CASE("Blocks: the decoder's loss is asked with the labels that training guesses", "[suite]") {
  const Setup setup{Mode::train, Size::ci, 4, torch::Device(torch::kCPU)};
  const auto scores = std::make_shared<torch::nn::EmbeddingImpl>(6, 6);
  const auto forward = [scores](const Guessing& guessing) {
    CHECK_FALSE(torch::equal(guessing.words, guessing.labels));
    return scores->forward(guessing.labels);
  };
  const auto workload = word_guessing_workload(setup, scores, {6, 8}, forward);
  double first = 0.0, last = 0.0;
  for (int i = 0; i < 200; ++i) {
    workload->iterate();
    last = workload->results()[0].item<double>();
    if (i == 0) first = last;
  }
  CHECK(last < first);  // each label's row of scores can become the label's own
}
