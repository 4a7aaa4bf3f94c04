#include "torch_and_catch.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include <ATen/autocast_mode.h>

#include "suite/blocks/standard_workload.hpp"
#include "suite/precision.hpp"
#include "suite/protocol.hpp"
#include "suite/registry.hpp"
#include "tests/suite/test_device.hpp"

namespace tbci::suite::precision_test {

namespace {

// A table of words and a layer over them: parameters, a buffer of whole numbers, and inputs of both kinds.
class WordsImpl : public torch::nn::Module {
 public:
  WordsImpl()
      : table_(register_module("table", torch::nn::Embedding(10, 4))),
        layer_(register_module("layer", torch::nn::Linear(4, 3))),
        shift_(register_buffer("shift", torch::ones({4}))),
        order_(register_buffer("order", torch::arange(5))) {}
  torch::Tensor forward(const torch::Tensor& words, const torch::Tensor& scale) {
    return layer_(table_(words.index_select(1, order_)) * scale + shift_);
  }

 private:
  torch::nn::Embedding table_;
  torch::nn::Linear layer_;
  torch::Tensor shift_;
  torch::Tensor order_;
};
TORCH_MODULE(Words);

void to_double(const Workload& workload) {
  const torch::NoGradGuard no_gradients;
  for (const Tensors& tensors : {workload.module()->parameters(), workload.module()->buffers(), workload.inputs()}) {
    for (torch::Tensor tensor : tensors) {
      if (tensor.defined() && tensor.is_floating_point()) tensor.set_data(tensor.detach().to(torch::kDouble));
    }
  }
}

// As text, or why the model does not run in this precision.
std::string error_of(const Benchmark& benchmark, const Workload& original, const Workload& truth, Precision precision,
                     DeviceKind device) {
  const std::string why = why_no_precision(precision, device);
  if (!why.empty()) return why;
  try {
    prepare_precision(precision, device);
    auto workload = inference_on(benchmark, device, 2);
    copy_state(original, *workload);
    workload = in_precision(std::move(workload), precision, device);
    workload->iterate();
    const Tensors exact = truth.results(), near = workload->results();
    REQUIRE(exact.size() == near.size());
    double largest = 0.0;
    for (std::size_t i = 0; i < exact.size(); ++i) largest = std::max(largest, difference_of(exact[i], near[i]));
    CHECK(std::isfinite(largest));
    if (precision == Precision::fp32) CHECK(largest < 1e-4);
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.1e", largest);
    return text.data();
  } catch (const std::exception& refused) {
    return std::string(refused.what()).substr(0, 150);
  }
}

std::unique_ptr<Workload> words(Mode mode) {
  torch::manual_seed(1);
  Words model;
  const auto inputs = Tensors{torch::randint(10, {2, 5}), torch::rand({2, 5, 4})};
  StandardWorkload::Parts parts;
  parts.module = model.ptr();
  parts.inputs = inputs;
  parts.forward = [model, inputs]() mutable { return Tensors{model->forward(inputs[0], inputs[1])}; };
  parts.loss = [](const Tensors& outputs) { return outputs[0].square().mean(); };
  parts.optimizer = [](std::vector<torch::Tensor> parameters) { return adam(std::move(parameters), 0.1); };
  return std::make_unique<StandardWorkload>(mode, std::move(parts));
}

// A workload that is only what it does.
class Does final : public Workload {
 public:
  explicit Does(std::function<void()> work) : work_(std::move(work)) {}
  void iterate() override { work_(); }
  Tensors results() const override { return {}; }
  Tensors parameters() const override { return {}; }

 private:
  std::function<void()> work_;
};

std::unique_ptr<Workload> does(std::function<void()> work) {
  return std::make_unique<Does>(std::move(work));
}

std::unique_ptr<Workload> on_cpu(std::unique_ptr<Workload> workload, Precision precision) {
  return in_precision(std::move(workload), precision, DeviceKind::cpu);
}

std::string why_unsupported(const std::function<void()>& work) {
  try {
    work();
  } catch (const Unsupported& error) {
    return error.what();
  }
  return "supported";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("Precision: fp32 and tf32 leave the workload as it is", "[suite]") {
  auto workload = words(Mode::infer);
  const Workload* before = workload.get();
  workload = on_cpu(std::move(workload), Precision::fp32);
  CHECK(workload.get() == before);
  CHECK(check_precision(*workload, Precision::fp32, DeviceKind::cpu).empty());
  CHECK(workload->results().empty());  // nothing was run to look at it
}

TEST_CASE("Precision: fp16 and bf16 convert floating-point tensors, and inference computes in the type", "[suite]") {
  for (const auto& [precision, type, name] :
       {std::tuple(Precision::bf16, torch::kBFloat16, "bf16"), std::tuple(Precision::fp16, torch::kHalf, "fp16")}) {
    INFO(name);
    const auto workload = on_cpu(words(Mode::infer), precision);
    const auto seen = check_precision(*workload, precision, DeviceKind::cpu);
    REQUIRE(workload->results().size() == 1);
    CHECK(workload->results()[0].scalar_type() == type);
    for (const torch::Tensor& parameter : workload->module()->parameters()) CHECK(parameter.scalar_type() == type);
    CHECK(workload->module()->named_buffers()["shift"].scalar_type() == type);
    CHECK(workload->module()->named_buffers()["order"].scalar_type() == torch::kLong);
    CHECK(workload->inputs()[0].scalar_type() == torch::kLong);
    CHECK(workload->inputs()[1].scalar_type() == type);
    CHECK(seen.at(name) > 0);
    CHECK(seen.count("fp32") == 0);
  }
}

TEST_CASE("Precision: converted weights are the rounded original weights", "[suite]") {
  const auto exact = words(Mode::infer);
  const auto rounded = on_cpu(words(Mode::infer), Precision::bf16);
  exact->iterate();
  rounded->iterate();
  const auto result = rounded->results()[0].to(torch::kFloat);
  CHECK(torch::allclose(result, exact->results()[0], 0.05, 0.05));
  CHECK_FALSE(torch::equal(result, exact->results()[0]));
}

TEST_CASE("Precision: training continues with the converted parameters, including the optimizer", "[suite]") {
  const auto workload = on_cpu(words(Mode::train), Precision::bf16);
  check_precision(*workload, Precision::bf16, DeviceKind::cpu);
  const float first = workload->results()[0].item<float>();
  for (int i = 0; i < 20; ++i) workload->iterate();
  CHECK(workload->results()[0].item<float>() < first / 2);
  for (const torch::Tensor& parameter : workload->parameters()) {
    CHECK(parameter.scalar_type() == torch::kBFloat16);
    CHECK(parameter.grad().scalar_type() == torch::kBFloat16);
  }
}

TEST_CASE("Precision: amp casts the forward pass and leaves parameters and gradients in fp32", "[suite]") {
  const auto inference = on_cpu(words(Mode::infer), Precision::amp);
  const auto seen = check_precision(*inference, Precision::amp, DeviceKind::cpu);
  CHECK(inference->results()[0].scalar_type() == torch::kBFloat16);
  CHECK(seen.at("bf16") > 0);
  CHECK(seen.at("fp32") > 0);
  const auto training = on_cpu(words(Mode::train), Precision::amp);
  check_precision(*training, Precision::amp, DeviceKind::cpu);
  for (const torch::Tensor& parameter : training->parameters()) {
    CHECK(parameter.scalar_type() == torch::kFloat);
    CHECK(parameter.grad().scalar_type() == torch::kFloat);
  }
  CHECK(torch::mm(torch::ones({2, 2}), torch::ones({2, 2})).scalar_type() == torch::kFloat);  // it is over
}

TEST_CASE("Precision: amp is off in the backward pass and on again after it", "[suite]") {
  std::vector<at::ScalarType> types;
  const auto product = [] { return torch::mm(torch::ones({2, 2}), torch::ones({2, 2})).scalar_type(); };
  const auto workload =
      on_cpu(does([&] {
               const auto x = torch::ones({2, 2}, torch::requires_grad());
               types.push_back(product());
               auto y = torch::mm(x, x).sum();
               // The hook runs in the backward pass, between its functions: so it lies in one of them.
               struct Square : torch::autograd::Function<Square> {
                 static torch::Tensor forward(torch::autograd::AutogradContext*, torch::Tensor in,
                                              std::vector<at::ScalarType>* seen) {
                   sink() = seen;
                   return in.clone();
                 }
                 static torch::autograd::variable_list backward(torch::autograd::AutogradContext*,
                                                                torch::autograd::variable_list gradients) {
                   sink()->push_back(torch::mm(torch::ones({2, 2}), torch::ones({2, 2})).scalar_type());
                   return {gradients[0], torch::Tensor()};
                 }
                 static std::vector<at::ScalarType>*& sink() {
                   static std::vector<at::ScalarType>* into = nullptr;
                   return into;
                 }
               };
               Square::apply(y, &types).backward();
               types.push_back(product());
             }),
             Precision::amp);
  workload->iterate();
  CHECK(types == std::vector<at::ScalarType>{torch::kBFloat16, torch::kFloat, torch::kBFloat16});
}

TEST_CASE("Precision: under amp a second forward pass sees what the optimizer changed", "[suite]") {
  auto weight = torch::ones({1, 4}, torch::requires_grad());
  float first = 0;
  float second = 0;
  const auto workload = on_cpu(does([&] {
                                 const auto x = torch::ones({1, 4});
                                 const auto before = torch::linear(x, weight);
                                 before.sum().backward();
                                 {
                                   const torch::NoGradGuard no_gradients;
                                   weight.mul_(2);
                                 }
                                 first = before.item<float>();
                                 second = torch::linear(x, weight).item<float>();
                               }),
                               Precision::amp);
  workload->iterate();
  CHECK(first == 4.0F);
  CHECK(second == 8.0F);
  workload->iterate();
  CHECK(first == 8.0F);
  CHECK(second == 16.0F);
}

TEST_CASE("Precision: a precision that the device lacks is named", "[suite]") {
  CHECK(contains(why_no_precision(Precision::tf32, DeviceKind::cpu), "not on a CPU"));
  CHECK(contains(why_no_precision(Precision::pytorch, DeviceKind::cpu), "not on a CPU"));
  for (const Precision precision : {Precision::fp32, Precision::fp16, Precision::bf16, Precision::amp})
    CHECK(why_no_precision(precision, DeviceKind::cpu).empty());
}

TEST_CASE("Precision: a workload that shows no module or no inputs cannot be converted", "[suite]") {
  CHECK(contains(why_unsupported([] { on_cpu(does([] {}), Precision::fp16); }), "no module"));
  StandardWorkload::Parts parts;
  parts.module = std::make_shared<torch::nn::Module>();
  parts.forward = [] { return Tensors{}; };
  auto without_inputs = std::make_unique<StandardWorkload>(Mode::infer, std::move(parts));
  CHECK(contains(why_unsupported([&] { on_cpu(std::move(without_inputs), Precision::bf16); }), "no inputs"));
}

TEST_CASE("Precision: an iteration that fails over types is unsupported, and its operator is named", "[suite]") {
  const auto mixed = does([] { torch::mm(torch::ones({2, 2}), torch::ones({2, 2}, torch::kBFloat16)); });
  const std::string why = why_unsupported([&] { check_precision(*mixed, Precision::bf16, DeviceKind::cpu); });
  CHECK(contains(why, "in bf16 in aten::mm: "));
  CHECK_FALSE(contains(why, "\n"));
  const auto no_kernel = does([] { torch::linalg_inv(torch::eye(2, torch::kHalf)); });
  CHECK(contains(why_unsupported([&] { check_precision(*no_kernel, Precision::fp16, DeviceKind::cpu); }), "aten::"));
}

TEST_CASE("Precision: an iteration in which nothing computes in the type is unsupported", "[suite]") {
  const auto sums = on_cpu(does([] { torch::ones({4}).add(torch::ones({4})); }), Precision::amp);
  CHECK(contains(why_unsupported([&] { check_precision(*sums, Precision::amp, DeviceKind::cpu); }),
                 "none of its operators computes in bf16"));
}

TEST_CASE("Precision: any other failure is passed on unchanged", "[suite]") {
  const auto broken = does([] { throw std::runtime_error("the disk is on fire"); });
  CHECK_THROWS_WITH(check_precision(*broken, Precision::bf16, DeviceKind::cpu), "the disk is on fire");
  const auto shapes = does([] { torch::mm(torch::ones({2, 3}), torch::ones({2, 3})); });
  CHECK_THROWS_AS(check_precision(*shapes, Precision::bf16, DeviceKind::cpu), c10::Error);
}

// Hidden: a table for people, by tests/bench/gpu/stages. On a GPU fp32 must not compute in TF32, whose error is far
// larger.
TEST_CASE("Precision: the error of each against fp64", "[.][precision_error]") {
  const DeviceKind device = test_device();
  std::printf("| model | precision | largest error, of the largest number |\n|---|---|--:|\n");
  for (const char* name : {"resnet50", "BERT_pytorch", "dlrm", "nvidia_deeprecommender"}) {
    const Benchmark* benchmark = find_benchmark(name);
    if (benchmark == nullptr) continue;
    const auto original = inference_on(*benchmark, DeviceKind::cpu, 2),
               truth = inference_on(*benchmark, DeviceKind::cpu, 2);
    copy_state(*original, *truth);
    to_double(*truth);
    truth->iterate();
    for (const auto& [precision, word] : all_precisions) {
      const std::string error = error_of(*benchmark, *original, *truth, precision, device);
      std::printf("| %s | %s | %s |\n", name, std::string(word).c_str(), error.c_str());
    }
  }
  prepare_precision(Precision::fp32, device);
}

TEST_CASE("Precision: the last line has the types and the split of the GPU's time", "[suite]") {
  char* data = nullptr;
  std::size_t size = 0;
  std::FILE* file = ::open_memstream(&data, &size);
  Protocol protocol(file);
  RunTimes times{10, 48, 31};
  protocol.done(times, 7);
  times.computed_in = {{"bf16", 301}, {"fp32", 12}};
  times.gpu = GpuSplit{5, 2, 3};
  protocol.done(times, 7);
  std::fclose(file);
  const std::string text(data, size);
  std::free(data);
  CHECK(text == R"({"type":"done","samples":10,"setup_nanoseconds":48,"warmup_nanoseconds":31,"parameters":7})"
                "\n"
                R"({"type":"done","samples":10,"setup_nanoseconds":48,"warmup_nanoseconds":31,"parameters":7,)"
                R"("computed_in":{"bf16":301,"fp32":12},)"
                R"("gpu_active_nanoseconds":5,"gpu_movement_nanoseconds":2,"gpu_idle_nanoseconds":3})"
                "\n");
}

}  // namespace tbci::suite::precision_test
