// The paper's patches on a device that is not the host: what each side copies and launches, and that both compute the
// same.
#include "suite/variants.hpp"

#include "suite/registry.hpp"
#include "tests/suite/standin/counts.hpp"
#include "tests/suite/standin/memory.hpp"
#include "tests/suite/torch_and_catch.hpp"

using namespace tbci::suite;
using standin::Counts;

namespace {

struct OneSide {
  Tensors results;  // of two iterations, on the host
  Counts counts;    // of the second one
  bool met = false;
};

OneSide run_side(const std::string& name, const Mode mode, const Variant variant) {
  const VariantInForce in_force(variant);
  const Benchmark& benchmark = *find_benchmark(name);
  torch::manual_seed(42);
  const auto workload = benchmark.make({mode, Size::ci, 2, standin::device});
  OneSide side;
  const auto iterate = [&] {
    workload->iterate();
    for (const torch::Tensor& result : workload->results()) side.results.push_back(result.detach().cpu().clone());
  };
  iterate();
  side.counts = standin::counts_of([&] { workload->iterate(); });
  iterate();
  side.met = variant_was_met();
  return side;
}

void check_equal(const OneSide& one, const OneSide& other) {
  REQUIRE(one.results.size() == other.results.size());
  for (std::size_t i = 0; i < one.results.size(); ++i) CHECK(torch::equal(one.results[i], other.results[i]));
}

}  // namespace

TEST_CASE("Variants: on a GPU, U-Nets that are moved cost copies both ways and compute the same", "[suite]") {
  for (const Mode mode : {Mode::train, Mode::infer}) {
    const OneSide plain = run_side("public_image_generator2", mode, Variant::none);
    const OneSide moved = run_side("public_image_generator2", mode, Variant::moved_unets);
    CHECK_FALSE(plain.met);
    CHECK(moved.met);
    check_equal(plain, moved);
    CHECK(moved.counts.to_device > plain.counts.to_device + 100);  // each has hundreds of parameters
    CHECK(moved.counts.to_host > plain.counts.to_host + 100);
  }
}

TEST_CASE("Variants: on a GPU, hf_BigBird's kept tables are not copied again", "[suite]") {
  for (const Mode mode : {Mode::train, Mode::infer}) {
    const OneSide plain = run_side("hf_BigBird", mode, Variant::none);
    const OneSide kept = run_side("hf_BigBird", mode, Variant::kept_tables);
    CHECK(kept.met);
    check_equal(plain, kept);
    CHECK(plain.counts.to_device == kept.counts.to_device + 12);  // one table a layer
  }
}

TEST_CASE("Variants: on a GPU, Listing 3 copies a number and launches its root in each layer with hashes", "[suite]") {
  const OneSide plain = run_side("hf_Reformer", Mode::infer, Variant::none);
  const OneSide root = run_side("hf_Reformer", Mode::infer, Variant::rsqrt_tensor);
  CHECK(root.met);
  check_equal(plain, root);
  CHECK(root.counts.launches > plain.counts.launches + 2);
}

TEST_CASE("Variants: on a GPU, each gradient that is zeroed by its own call is a launch", "[suite]") {
  const OneSide plain = run_side("alexnet", Mode::train, Variant::none);
  const OneSide zeroed = run_side("alexnet", Mode::train, Variant::zeros_one_by_one);
  CHECK(zeroed.met);
  check_equal(plain, zeroed);
  CHECK(zeroed.counts.launches >= plain.counts.launches + 16);  // eight layers, each with a weight and a bias
}
