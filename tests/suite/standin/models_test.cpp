// Every GPU case of the suite on the stand-in: none mixes the devices, all compute what they compute on the CPU, and
// what an iteration launches, copies and waits for is under version control.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <optional>
#include <sstream>
#include <string>

#include "suite/registry.hpp"
#include "suite/version.hpp"
#include "tests/suite/standin/golden.hpp"
#include "tests/suite/standin/memory.hpp"
#include "tests/suite/torch_and_catch.hpp"

using namespace tbci::suite;
using standin::Counts;

namespace {

// As in the worker. Before any test: autograd's thread for the device keeps the number that it begins with.
[[maybe_unused]] const bool one_thread = [] {
  torch::set_num_threads(1);
  return true;
}();

constexpr double tolerance = 1e-5;  // of the largest number of an output

// The parts that run side by side: each about as long as the others.
enum class Part { vision_training, vision_inference, other_training, other_inference };

bool is_in(const Part part, const Benchmark& benchmark, const Mode mode) {
  const bool vision = benchmark.domain == "computer vision", train = mode == Mode::train;
  switch (part) {
    case Part::vision_training:
      return vision && train;
    case Part::vision_inference:
      return vision && !train;
    case Part::other_training:
      return !vision && train;
    case Part::other_inference:
      return !vision && !train;
  }
  return false;
}

// Why the CPU computes something else in this case, as in the original; empty: it does not.
std::string differs_on_cpu(const std::string& name) {
  for (const char* shorter : {"hf_BigBird/gpu-infer", "hf_Longformer/gpu-infer", "hf_Reformer/gpu-infer"}) {
    if (name == shorter) return "its texts are shorter on the CPU";
  }
  return name == "timm_efficientdet/gpu-infer" ? "boxes are chosen class by class on the CPU, and others are rounded"
                                               : "";
}

struct Ran {
  Tensors first, second;  // the results of two iterations, on the host
  Counts counts;          // of the second one
};

Tensors to_host(const Tensors& tensors) {
  Tensors all;
  for (const torch::Tensor& tensor : tensors) all.push_back(tensor.detach().cpu().clone());
  return all;
}

Ran run_twice(const Benchmark& benchmark, const Mode mode, const torch::Device& on) {
  torch::manual_seed(42);
  const auto workload = benchmark.make({mode, Size::ci, benchmark.ci_batch.of(mode), on});
  Ran ran;
  workload->iterate();
  ran.first = to_host(workload->results());
  ran.counts = standin::counts_of([&] { workload->iterate(); });
  ran.second = to_host(workload->results());
  return ran;
}

// As a part of the largest number; infinite for other shapes, and where only one of them is a number.
double difference_of(const Tensors& ones, const Tensors& others) {
  if (ones.size() != others.size()) return std::numeric_limits<double>::infinity();
  double largest = 0.0;
  for (std::size_t i = 0; i < ones.size(); ++i) {
    if (ones[i].sizes() != others[i].sizes()) return std::numeric_limits<double>::infinity();
    if (torch::equal(ones[i], others[i])) continue;
    const torch::Tensor truth = ones[i].to(torch::kDouble), other = others[i].to(torch::kDouble);
    const double scale = std::max(truth.abs().max().item<double>(), 1e-6);
    const double difference = (truth - other).abs().max().item<double>() / scale;
    if (std::isnan(difference)) return std::numeric_limits<double>::infinity();
    largest = std::max(largest, difference);
  }
  return largest;
}

struct Tally {
  int ran = 0, unsupported = 0;
  double largest = 0.0;
  std::string differs_most = "none";
};

// Nothing where it failed.
std::optional<standin::Entry> check_case(const Benchmark& benchmark, const Mode mode, const std::string& name,
                                         Tally& tally) {
  try {
    const Ran ours = run_twice(benchmark, mode, standin::device);
    const Ran cpu = run_twice(benchmark, mode, torch::kCPU);
    ++tally.ran;
    const std::string why = differs_on_cpu(name);
    const double difference = std::max(difference_of(cpu.first, ours.first), difference_of(cpu.second, ours.second));
    if (why.empty()) {
      CHECK(difference <= tolerance);
      if (difference > tally.largest) {
        tally.largest = difference;
        tally.differs_most = name;
      }
    } else {
      CHECK(difference > tolerance);  // else the exception is none
      std::printf("%s is not compared with the CPU: %s\n", name.c_str(), why.c_str());
    }
    return standin::entry_of(ours.counts);
  } catch (const Unsupported& why) {
    ++tally.unsupported;
    return standin::unsupported(why.what());
  } catch (const c10::Error& error) {
    FAIL_CHECK(error.what_without_backtrace());
  } catch (const std::exception& error) {
    FAIL_CHECK(error.what());
  }
  return std::nullopt;
}

// NMS goes round until nothing changes (`equal`). How often depends on the last bits of the boxes, which are others on
// another processor: then the counts are to agree within a tenth.
bool depends_on_last_bits(const standin::Entry& entry) {
  return entry.detail.find("equal") != std::string::npos;
}

void check_near(const std::string& known, const std::string& now) {
  std::istringstream expected(known), found(now);
  for (double one = 0, other = 0; expected >> one && found >> other;) {
    CHECK(std::abs(one - other) <= std::max(2.0, one / 10));
  }
  CHECK(expected.eof());
}

void compare(const standin::Golden& known, const standin::Golden& now) {
  if (torch_version().version.rfind("2.13.", 0) != 0) {
    WARN("the golden list is of LibTorch 2.13, this is " << torch_version().version << ": not compared");
    return;
  }
  for (const auto& [name, entry] : now) {
    INFO(name << ", if meant: TBCI_UPDATE_GOLDEN=1 suite-standin '[models]'");
    CHECK(known.count(name) == 1);
    if (known.count(name) == 0) continue;
    if (depends_on_last_bits(known.at(name))) {
      check_near(known.at(name).counts, entry.counts);
      continue;
    }
    CHECK(entry.counts == known.at(name).counts);
    CHECK(entry.detail == known.at(name).detail);
  }
}

void check_models(const Part part) {
  const char* only = std::getenv("TBCI_STANDIN_ONLY");
  standin::Golden now;
  Tally tally;
  for (const Benchmark& benchmark : all_benchmarks()) {
    for (const Mode mode : {Mode::train, Mode::infer}) {
      if (!benchmark.modes.has(mode) || !is_in(part, benchmark, mode)) continue;
      if (only != nullptr && benchmark.name != only) continue;
      const std::string name = benchmark.name + (mode == Mode::train ? "/gpu-train" : "/gpu-infer");
      INFO(name);
      if (const auto entry = check_case(benchmark, mode, name, tally)) now[name] = *entry;
    }
  }
  std::printf("%d cases ran, %d unsupported; the outputs differ from the CPU's by %.1e of the largest (%s)\n",
              tally.ran, tally.unsupported, tally.largest, tally.differs_most.c_str());
  const std::string golden = TBCI_STANDIN_GOLDEN;
  if (std::getenv("TBCI_UPDATE_GOLDEN") != nullptr) standin::update_golden(golden, now);
  compare(standin::read_golden(golden), now);
}

}  // namespace

TEST_CASE("Stand-in: models of computer vision train on it", "[suite][models][vision-train]") {
  check_models(Part::vision_training);
}

TEST_CASE("Stand-in: models of computer vision infer on it", "[suite][models][vision-infer]") {
  check_models(Part::vision_inference);
}

TEST_CASE("Stand-in: all other models train on it", "[suite][models][other-train]") {
  check_models(Part::other_training);
}

TEST_CASE("Stand-in: all other models infer on it", "[suite][models][other-infer]") {
  check_models(Part::other_inference);
}
