#include "tests/suite/torch_and_catch.hpp"

#include <cmath>
#include <cstdio>
#include <filesystem>

#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include "suite/backends/backend.hpp"
#include "suite/backends/compiled.hpp"
#include "suite/backends/trace.hpp"
#include "suite/blocks/standard_workload.hpp"
#include "suite/registry.hpp"

namespace tbci::suite::backend_test {

namespace {

// A convolution, batch normalisation, dropout and a layer, trained by Adam with momentum: what a trace must carry over.
class NetworkImpl : public torch::nn::Module {
 public:
  NetworkImpl()
      : convolution_(register_module("convolution", torch::nn::Conv2d(torch::nn::Conv2dOptions(3, 8, 3).padding(1)))),
        norm_(register_module("norm", torch::nn::BatchNorm2d(8))),
        layer_(register_module("layer", torch::nn::Linear(8, 5))) {}
  torch::Tensor forward(const torch::Tensor& images) {
    const torch::Tensor x = norm_(convolution_(images)).relu_();
    return layer_(torch::dropout(x.mean({2, 3}), 0.5, is_training()));
  }

 private:
  torch::nn::Conv2d convolution_;
  torch::nn::BatchNorm2d norm_;
  torch::nn::Linear layer_;
};
TORCH_MODULE(Network);

struct Made {
  std::shared_ptr<NetworkImpl> module;
  std::unique_ptr<Workload> workload;
};

Made make_network(Mode mode) {
  torch::manual_seed(7);
  const auto module = std::make_shared<NetworkImpl>();
  const torch::Tensor images = torch::randn({4, 3, 12, 12});
  const torch::Tensor classes = torch::tensor({0, 1, 2, 3});
  return {
      module,
      std::make_unique<StandardWorkload>(
          mode, StandardWorkload::Parts{
                    .module = module,
                    .forward = [module, images] { return Tensors{module->forward(images)}; },
                    .loss = [classes](const Tensors& outputs) { return at::cross_entropy_loss(outputs[0], classes); },
                    .optimizer = use_adam(1e-2),
                    .inputs = {images}})};
}

std::function<std::unique_ptr<Workload>()> network(Mode mode) {
  return [mode] { return make_network(mode).workload; };
}

double number(const Tensors& results) {
  return results.at(0).sum().item<double>();
}

BackendRequest by(Backend backend) {
  BackendRequest request;
  request.backend = backend;
  return request;
}

std::string refusal(const std::function<std::unique_ptr<Workload>()>& make, Mode mode, Backend backend) {
  try {
    in_backend(make, mode, by(backend));
  } catch (const Unsupported& error) {
    return error.what();
  }
  return {};
}

// Its output is one number that is read from a tensor of random numbers, so it differs from iteration to iteration.
class Restless final : public Workload {
 public:
  void iterate() override {
    const torch::NoGradGuard no_gradients;
    result_ = weights_ * (++count_);
  }
  Tensors results() const override { return {result_}; }
  Tensors parameters() const override { return {weights_}; }
  Tensors inputs() const override { return {weights_}; }

 private:
  torch::Tensor weights_ = torch::ones({3}), result_;
  int count_ = 0;
};

// Its output is 1 but for what its weights, of four dimensions, are off 1 by: a millionth of them moves it by a
// hundredth if it is fragile.
class Fragile final : public Workload {
 public:
  Fragile(bool fragile, double off) : times_(fragile ? 4096 : 0), off_(off) {}
  void iterate() override {
    const torch::NoGradGuard no_gradients;
    result_ = 1 + off_ + times_ * (weights_ - 1).norm();
  }
  Tensors results() const override { return {result_}; }
  Tensors parameters() const override { return {weights_}; }

 private:
  double times_, off_;
  torch::Tensor weights_ = torch::ones({1, 2, 2, 2}), result_;
};

// Its output is that of another model, with what is off the first one times 20,000. Freezing resnet18 rounds by 5e-7.
class Magnified final : public Workload {
 public:
  explicit Magnified(std::unique_ptr<Workload> model) : model_(std::move(model)) {
    model_->iterate();
    usual_ = model_->results().at(0).detach().clone();
  }
  void iterate() override {
    const torch::NoGradGuard no_gradients;
    model_->iterate();
    result_ = usual_ + 2e4 * (model_->results().at(0) - usual_);
  }
  Tensors results() const override { return {result_}; }
  Tensors parameters() const override { return model_->parameters(); }
  Tensors inputs() const override { return model_->inputs(); }

 private:
  std::unique_ptr<Workload> model_;
  torch::Tensor usual_, result_;
};

}  // namespace

TEST_CASE("Backends: inference by each compiler gives what eager gives", "[backend]") {
  auto eager = make_network(Mode::infer);
  eager.workload->iterate();
  for (const Backend backend : {Backend::jit, Backend::jit_frozen, Backend::channels_last}) {
    CAPTURE(name_of(backend));
    const BackendWorkload made = in_backend(network(Mode::infer), Mode::infer, by(backend));
    made.workload->iterate();
    REQUIRE(made.compiling);
    CHECK(made.compiling->difference < 1e-5);
    CHECK(made.workload->results().at(0).allclose(eager.workload->results().at(0), 1e-4, 1e-6));
    CHECK(made.workload->parameters().size() == 6);
  }
}

TEST_CASE("Backends: eager is the workload itself, and nothing was compiled", "[backend]") {
  const BackendWorkload made = in_backend(network(Mode::train), Mode::train, by(Backend::eager));
  CHECK_FALSE(made.compiling);
  CHECK(made.workload->module() != nullptr);
}

TEST_CASE("Backends: a compiled training step learns as eager does", "[backend]") {
  Made eager = make_network(Mode::train);
  for (int i = 0; i < 40; ++i) eager.workload->iterate();
  for (const Backend backend : {Backend::jit, Backend::channels_last}) {
    CAPTURE(name_of(backend));
    const BackendWorkload made = in_backend(network(Mode::train), Mode::train, by(backend));
    CHECK(made.compiling.value().difference < 1e-4);
    made.workload->iterate();
    const double first = number(made.workload->results());
    for (int i = 0; i < 60; ++i) made.workload->iterate();
    const double last = number(made.workload->results());
    CAPTURE(first, last);
    CHECK(std::isfinite(last));
    CHECK(last < 0.7 * first);
  }
}

TEST_CASE("Trace: the graph has the backward pass and the optimizer's step, and repeats the iteration to the bit",
          "[backend]") {
  Made made = make_network(Mode::train);
  made.workload->iterate();
  const Traced traced = trace(*made.workload, Mode::train, 3);
  CHECK(traced.gradients.size() == 6);
  const std::string graph = traced.module.get_method("forward").graph()->toString();
  for (const char* part : {"aten::convolution_backward", "aten::native_batch_norm_backward",
                           "aten::_log_softmax_backward_data", "aten::addcdiv_"}) {
    CAPTURE(part);
    CHECK(graph.find(part) != std::string::npos);
  }
  std::vector<torch::Tensor> after;
  for (const torch::Tensor& parameter : traced.parameters) after.push_back(parameter.detach().clone());
  const auto again = interpreted(traced);
  traced.before.restore();
  CHECK_FALSE(traced.parameters[0].equal(after[0]));
  torch::manual_seed(3);
  again->iterate();
  CHECK(again->results().at(0).equal(traced.results.at(0)));
  REQUIRE(again->gradients().size() == traced.gradients.size());
  for (std::size_t i = 0; i < after.size(); ++i) {
    CHECK(again->gradients()[i].equal(traced.gradients[i]));
    CHECK(traced.parameters[i].equal(after[i]));
  }
}

TEST_CASE("Trace: tensors that a model keeps beside its parameters are inputs, and not folded", "[backend]") {
  const torch::Tensor hidden = torch::randn({4, 4});
  const auto module = std::make_shared<torch::nn::Module>();
  StandardWorkload workload(Mode::infer,
                            {.module = module, .forward = [&] { return Tensors{hidden.mm(hidden).relu()}; }});
  workload.iterate();
  const Traced traced = trace(workload, Mode::infer, 1);
  REQUIRE(traced.inputs.size() == 1);
  CHECK(traced.inputs[0].is_same(hidden));
  const auto frozen = compiled(Backend::jit_frozen, traced);
  hidden.fill_(2);
  frozen->iterate();
  CHECK(frozen->results().at(0).equal(torch::full({4, 4}, 16.0)));
}

TEST_CASE("Backends: what computes something else is refused with the tensor and the difference", "[backend]") {
  const auto restless = [] { return std::make_unique<Restless>(); };
  CHECK(refusal(restless, Mode::infer, Backend::jit).empty());  // the number is that of the traced iteration
  const auto changing = [count = std::make_shared<int>(0)]() -> std::unique_ptr<Workload> {
    torch::manual_seed(static_cast<std::uint64_t>(++*count));
    return make_network(Mode::infer).workload;
  };
  CHECK(refusal(changing, Mode::infer, Backend::channels_last).empty());
  int made = 0;
  const auto other = [&made]() -> std::unique_ptr<Workload> {
    Made network = make_network(Mode::infer);
    const torch::NoGradGuard no_gradients;
    if (++made == 2) network.module->parameters()[0].add_(1);
    return std::move(network.workload);
  };
  const std::string why = refusal(other, Mode::infer, Backend::channels_last);
  CHECK(why.find("channels-last computes something else: output 1 of 1 differs from eager's by ") == 0);
}

TEST_CASE("Backends: where rounding alone moves a result, a backend may differ by more", "[backend]") {
  const auto refused = [](bool fragile, double off) {
    int made = 0;
    const auto make = [&] { return std::make_unique<Fragile>(fragile, ++made == 2 ? off : 0); };
    return refusal(make, Mode::infer, Backend::channels_last);
  };
  CHECK(refused(true, 0.02).empty());
  CHECK(refused(true, 0.06) ==
        "channels-last computes something else: output 1 of 1 differs from eager's by 0.06 of its norm (0.05 is "
        "allowed; eager's own changes by 0.011 where its weights change by a millionth)");
  CHECK(refused(false, 0.02) ==
        "channels-last computes something else: output 1 of 1 differs from eager's by 0.02 of its norm (0.001 is "
        "allowed)");
}

TEST_CASE("Backends: rounding is looked for in the trace, too", "[backend]") {
  const auto make = [] {
    torch::manual_seed(5);
    return std::make_unique<Magnified>(
        find_benchmark("resnet18")->make({Mode::infer, Size::ci, 1, torch::Device(torch::kCPU)}));
  };
  const BackendWorkload frozen = in_backend(make, Mode::infer, by(Backend::jit_frozen));
  CHECK(frozen.compiling.value().difference > 1e-3);
  const auto eager = make();
  eager->iterate();
  frozen.workload->iterate();
  const torch::Tensor expected = eager->results().at(0);
  CHECK((frozen.workload->results().at(0) - expected).norm().item<double>() <= 0.05 * expected.norm().item<double>());
}

TEST_CASE("Backends: channels-last is refused where no weight has channels", "[backend]") {
  const auto make = [] {
    const auto layer = std::make_shared<torch::nn::LinearImpl>(4, 4);
    const torch::Tensor rows = torch::randn({2, 4});
    return std::make_unique<StandardWorkload>(
        Mode::infer, StandardWorkload::Parts{
                         .module = layer, .forward = [=] { return Tensors{layer->forward(rows)}; }, .inputs = {rows}});
  };
  CHECK(refusal(make, Mode::infer, Backend::channels_last) ==
        "none of its weights has channels: channels-last would change nothing");
}

TEST_CASE("Backends: a reason is given where a backend does not fit the configuration", "[backend]") {
  constexpr Configuration cpu_train = all_configurations[0], gpu_train = all_configurations[2],
                          gpu_infer = all_configurations[3];
  CHECK(why_no_backend(Backend::jit, cpu_train).empty());
  CHECK(why_no_backend(Backend::jit_frozen, cpu_train) ==
        "jit-frozen is for inference: it makes constants of the weights");
  CHECK(why_no_backend(Backend::onednn_graph, gpu_infer) == "onednn-graph is for CPUs");
  CHECK(why_no_backend(Backend::jit, gpu_train).find("a thread that LibTorch's tracer does not see") !=
        std::string::npos);
}

TEST_CASE("Trace: the written module and inputs are read by TorchScript, and give the same", "[backend]") {
  Made made = make_network(Mode::infer);
  const auto folder = std::filesystem::temp_directory_path() / "tbci-trace-test";
  std::filesystem::create_directories(folder);
  const std::string file = (folder / "network.pt").string();
  write_trace(*made.workload, file, 1);
  torch::jit::Module module = torch::jit::load(file);
  const auto output = module.forward({made.workload->inputs().at(0)}).toTensor();
  CHECK(output.allclose(made.workload->results().at(0)));
  CHECK(std::filesystem::file_size(file + ".inputs") > 4 * 3 * 12 * 12 * 4);
  std::filesystem::remove_all(folder);
}

// The last one: its pass stays registered in this process.
TEST_CASE("Backends: oneDNN's graph compiler gives what eager gives", "[backend]") {
  // Convolutions; linear layers; poolings of one number for both dimensions, and of no stride.
  const std::string name = GENERATE("dcgan", "dlrm", "resnet18", "pytorch_unet");
  INFO(name);
  const auto make = [&] {
    torch::manual_seed(5);
    return find_benchmark(name)->make({Mode::infer, Size::ci, 2, torch::Device(torch::kCPU)});
  };
  const auto eager = make();
  eager->iterate();
  const BackendWorkload made = in_backend(make, Mode::infer, by(Backend::onednn_graph));
  for (int i = 0; i < 3; ++i) made.workload->iterate();
  const torch::Tensor expected = eager->results().at(0);
  CHECK((made.workload->results().at(0) - expected).norm().item<double>() <= 1e-4 * expected.norm().item<double>());
}

}  // namespace tbci::suite::backend_test
