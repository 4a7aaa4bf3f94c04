#include "suite/variants.hpp"

#include <cmath>
#include <map>
#include <set>

#include "suite/options.hpp"
#include "suite/registry.hpp"
#include "suite/timeline/timeline.hpp"
#include "tests/suite/torch_and_catch.hpp"

namespace tbci::suite::variants_test {

namespace {

constexpr Configuration cpu_train = all_configurations[0], cpu_infer = all_configurations[1],
                        gpu_infer = all_configurations[3];

struct Computed {
  Tensors results;     // of each iteration
  Tensors parameters;  // after the last one
  Tensors beginning;   // the parameters before the first one
  bool met = false;
};

Computed compute(const std::string& name, Mode mode, Variant variant, int iterations) {
  const VariantInForce in_force(variant);
  const Benchmark& benchmark = *find_benchmark(name);
  torch::manual_seed(7);
  const auto workload = benchmark.make({mode, Size::ci, 2, torch::kCPU});
  torch::manual_seed(8);
  Computed computed;
  for (const torch::Tensor& parameter : workload->parameters())
    computed.beginning.push_back(parameter.detach().clone());
  for (int i = 0; i < iterations; ++i) {
    workload->iterate();
    for (const torch::Tensor& result : workload->results()) computed.results.push_back(result.detach().clone());
  }
  for (const torch::Tensor& parameter : workload->parameters()) computed.parameters.push_back(parameter.detach());
  computed.met = variant_was_met();
  return computed;
}

// As a part of the norm, the largest of the tensors.
double difference(const Tensors& ones, const Tensors& others) {
  REQUIRE(ones.size() == others.size());
  double largest = 0;
  for (std::size_t i = 0; i < ones.size(); ++i) {
    if (!ones[i].is_floating_point()) continue;
    const double off = (ones[i] - others[i]).norm().item<double>();
    largest = std::max(largest, off / std::max(ones[i].norm().item<double>(), 1e-6));
  }
  return largest;
}

double length(const Tensors& ones, const Tensors& others) {
  double sum = 0;
  for (std::size_t i = 0; i < ones.size(); ++i) sum += std::pow((ones[i] - others[i]).norm().item<double>(), 2);
  return std::sqrt(sum);
}

// Of where training has led all parameters, as a part of the way. (A parameter alone may differ by all of its way: the
// gradient of a bias before a norm is rounding, and Adam takes it for as long a step as any.)
double off_the_way(const Computed& one, const Computed& other) {
  return length(one.parameters, other.parameters) / length(one.parameters, one.beginning);
}

// How often each operator is called in an iteration.
std::map<std::string, int> calls_of(const std::string& name, Mode mode, Variant variant) {
  const VariantInForce in_force(variant);
  torch::manual_seed(7);
  const auto workload = find_benchmark(name)->make({mode, Size::ci, 2, torch::kCPU});
  workload->iterate();
  const Timeline timeline = record_timeline(*workload, {DeviceKind::cpu, 0, 1});
  std::map<std::string, int> calls;
  for (const TimelineCall& call : timeline.calls) ++calls[timeline.names[call.name]];
  return calls;
}

// Training of each kind: with a loss and an optimizer, in several steps by own code, by modules, with learning rates of
// their own, with gradients that stay away, with sparse ones, without an optimizer.
const std::vector<std::string> zeroing = {"alexnet",
                                          "dcgan",
                                          "soft_actor_critic",
                                          "fastNLP_Bert",
                                          "yolov3",
                                          "dlrm",
                                          "opacus_cifar10",
                                          "maml_omniglot",
                                          "moco",
                                          "attention_is_all_you_need_pytorch",
                                          "timm_efficientdet"};
const std::vector<std::string> stepping = {"alexnet",
                                           "dcgan",
                                           "soft_actor_critic",
                                           "yolov3",
                                           "dlrm",
                                           "pytorch_unet",
                                           "attention_is_all_you_need_pytorch",
                                           "nanogpt",
                                           "nvidia_deeprecommender",
                                           "phlippe_resnet",
                                           "resnet18"};

}  // namespace

TEST_CASE("Variants: gradients zeroed one by one give the same numbers to the bit", "[suite]") {
  for (const std::string& name : zeroing) {
    INFO(name);
    REQUIRE(find_benchmark(name) != nullptr);
    const Computed plain = compute(name, Mode::train, Variant::none, 3);
    const Computed variant = compute(name, Mode::train, Variant::zeros_one_by_one, 3);
    CHECK(variant.met);
    CHECK_FALSE(plain.met);
    CHECK(difference(plain.results, variant.results) == 0);
    CHECK(difference(plain.parameters, variant.parameters) == 0);
  }
}

TEST_CASE("Variants: fused steps train as the optimizers' own steps, within rounding", "[suite]") {
  for (const std::string& name : stepping) {
    INFO(name);
    REQUIRE(find_benchmark(name) != nullptr);
    const Computed plain = compute(name, Mode::train, Variant::none, 3);
    const Computed variant = compute(name, Mode::train, Variant::fused_steps, 3);
    CHECK(variant.met);
    CHECK(difference(plain.results, variant.results) < 1e-5);
    CHECK(off_the_way(plain, variant) < 1e-2);
  }
}

TEST_CASE("Variants: hf_Reformer computes the same with rsqrt of a tensor", "[suite]") {
  for (const Mode mode : {Mode::train, Mode::infer}) {
    const Computed plain = compute("hf_Reformer", mode, Variant::none, 3);
    const Computed variant = compute("hf_Reformer", mode, Variant::rsqrt_tensor, 3);
    CHECK(variant.met);
    CHECK(difference(plain.results, variant.results) < 1e-5);
    if (mode == Mode::train) CHECK(off_the_way(plain, variant) < 1e-2);
  }
}

TEST_CASE("Variants: hf_BigBird computes the same to the bit with tables that it keeps", "[suite]") {
  for (const Mode mode : {Mode::train, Mode::infer}) {
    const Computed plain = compute("hf_BigBird", mode, Variant::none, 3);
    const Computed variant = compute("hf_BigBird", mode, Variant::kept_tables, 3);
    CHECK(variant.met);
    CHECK(difference(plain.results, variant.results) == 0);
    CHECK(difference(plain.parameters, variant.parameters) == 0);
  }
}

TEST_CASE("Variants: the operators of a patch's one side are not those of the other", "[suite]") {
  auto plain = calls_of("alexnet", Mode::train, Variant::none);
  auto variant = calls_of("alexnet", Mode::train, Variant::zeros_one_by_one);
  CHECK(variant["aten.zero_.default"] ==
        plain["aten.zero_.default"] + 16);  // eight layers, each with a weight and a bias

  variant = calls_of("alexnet", Mode::train, Variant::fused_steps);
  CHECK(plain["aten.addcdiv_.default"] == 16);
  CHECK(variant["aten.addcdiv_.default"] == 0);
  CHECK(variant["aten._fused_adam_.default"] == 1);

  plain = calls_of("hf_Reformer", Mode::infer, Variant::none);
  variant = calls_of("hf_Reformer", Mode::infer, Variant::rsqrt_tensor);
  CHECK(plain["aten.rsqrt.default"] == 3);  // of each layer with hashes: its keys' lengths
  CHECK(variant["aten.rsqrt.default"] == 6);
}

TEST_CASE("Variants: a variant is refused where the model or the configuration has none", "[suite]") {
  CHECK(why_no_variant(Variant::none, "alexnet", cpu_infer).empty());
  CHECK(why_no_variant(Variant::zeros_one_by_one, "alexnet", cpu_train).empty());
  CHECK(why_no_variant(Variant::zeros_one_by_one, "alexnet", cpu_infer) ==
        "zeros-one-by-one is a variant of training: inference has no gradients and no optimizer");
  CHECK(why_no_variant(Variant::rsqrt_tensor, "hf_Reformer", cpu_infer).empty());
  CHECK(why_no_variant(Variant::rsqrt_tensor, "alexnet", cpu_infer) == "rsqrt-tensor is a variant of hf_Reformer");
  CHECK(why_no_variant(Variant::moved_unets, "public_image_generator2", gpu_infer).empty());
  CHECK(why_no_variant(Variant::moved_unets, "public_image_generator2", cpu_infer) ==
        "moved-unets moves networks between a GPU and the host: on a CPU it changes nothing");
}

TEST_CASE("Variants: an iteration tells whether the variant changed anything in it", "[suite]") {
  CHECK_FALSE(compute("public_image_generator2", Mode::train, Variant::zeros_one_by_one, 2).met);
  CHECK_FALSE(compute("tts_angular", Mode::train, Variant::fused_steps, 2).met);
  CHECK_FALSE(in_force(Variant::fused_steps));
}

TEST_CASE("Variants: the command line knows them by name, and no benchmark of the list is one", "[suite]") {
  std::vector<std::string> words = {"run", "--benchmark", "alexnet", "--configuration", "cpu-train", "--variant"};
  for (const NamedVariant& each : all_variants) {
    words.resize(6);
    words.emplace_back(each.name);
    const Options options = parse_options(words);
    REQUIRE(std::holds_alternative<RunOptions>(options));
    CHECK(std::get<RunOptions>(options).variant == each.variant);
    CHECK(find_benchmark(each.name) == nullptr);
    if (!each.only.empty()) CHECK(find_benchmark(each.only) != nullptr);
  }
  words.back() = "fused-step";
  const Options unknown = parse_options(words);
  REQUIRE(std::holds_alternative<UsageError>(unknown));
  CHECK(std::get<UsageError>(unknown).message ==
        "there is no variant 'fused-step'; the nearest name is 'fused-steps' (tbci-worker list --variants shows all)");

  words.back() = "fused-steps";
  words.insert(words.end(), {"--backend", "jit"});
  CHECK(std::holds_alternative<UsageError>(parse_options(words)));
  const Options list = parse_options({"list", "--variants"});
  REQUIRE(std::holds_alternative<ListOptions>(list));
  CHECK(std::get<ListOptions>(list).variants);
  CHECK_FALSE(std::get<ListOptions>(parse_options({"list"})).variants);
  CHECK(std::holds_alternative<UsageError>(parse_options({"list", "--variants", "--models", "folder"})));
  CHECK(std::holds_alternative<UsageError>(
      parse_options({"run", "--benchmark", "alexnet", "--configuration", "cpu-train", "--variants"})));
}

}  // namespace tbci::suite::variants_test
