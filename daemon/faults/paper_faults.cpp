#include "daemon/faults/paper_faults.hpp"

#include <algorithm>
#include <set>

#include "base/assert.hpp"
#include "base/text.hpp"

namespace tbci::daemon::faults {

namespace {

const PlayedNight one_night = {.name = "here", .environment = {}};

// Of one processor two: on the first LibTorch's own kernels know no vectors, and the libraries beside it none of the
// newest.
const std::map<std::string, std::string> without_vectors = {
    {"ATEN_CPU_CAPABILITY", "default"}, {"ONEDNN_MAX_CPU_ISA", "AVX2"}, {"MKL_ENABLE_INSTRUCTIONS", "AVX2"}};

// Strengths are such that the series changes about as much as the paper's did, but never by less than the judgement can
// tell from its threshold of 7% within one night.
std::vector<PaperFault> all_faults() {
  return {
      {.kind = "memory-kept",
       .pull_request = 85447,
       .paper = "a leak",
       .strength = 1,
       .position = 14,
       .benchmark = "dlrm",
       .metric = "cpu_leak",
       .more_benchmarks = {},
       .operators = {},
       .nights = {one_night}},
      {.kind = "activation-validity",
       .pull_request = 61056,
       .paper = "11% soft_actor_critic",
       .strength = 10,
       .position = 9,
       .benchmark = "soft_actor_critic",
       .metric = "time",
       .more_benchmarks = {},
       .operators = {"aten.relu", "aten.tanh"},
       .nights = {one_night}},
      {.kind = "fused-convolution",
       .pull_request = 65594,
       .paper = "21% over nine models on one GPU",
       .strength = 0.7,
       .position = 16,
       .benchmark = "resnet18",
       .metric = "time",
       .more_benchmarks = {"alexnet", "squeezenet1_1"},
       .operators = {"aten.convolution", "aten._convolution", "aten.mkldnn_convolution"},
       .nights = {{.name = "without-vectors", .environment = without_vectors},
                  {.name = "with-vectors", .environment = {}, .files = false}}},
      {.kind = "library-configuration",
       .pull_request = 72148,
       .paper = "7.8% nvidia_deeprecommender, some inputs",
       .strength = 1.2,
       .position = 5,
       .benchmark = "nvidia_deeprecommender",
       .metric = "time",
       .more_benchmarks = {},
       .operators = {"aten.addmm"},
       .nights = {{.name = "batch-1024", .environment = {}, .batch = 1024},
                  {.name = "batch-512", .environment = {}, .batch = 512, .files = false}}},
      {.kind = "embedding-bag-bounds",
       .pull_request = 71904,
       .paper = "14.9% dlrm",
       .strength = 0.7,
       .position = 18,
       .benchmark = "dlrm",
       .metric = "time",
       .more_benchmarks = {},
       .operators = {"aten._embedding_bag", "aten._embedding_bag_forward_only"},
       .nights = {one_night}},
      {.kind = "addmm-dtype",
       .pull_request = 65839,
       .paper = "6.8x training, 24x inference, six models",
       .strength = 20,
       .position = 11,
       .benchmark = "lennard_jones",
       .metric = "time",
       .more_benchmarks = {},
       .operators = {"aten.copy_", "aten._to_copy", "aten.addmm"},
       .nights = {one_night}},
      {.kind = "error-handling",
       .pull_request = 87855,
       .paper = "10x quantised models",
       .strength = 90,
       .position = 7,
       .benchmark = "soft_actor_critic",
       .metric = "time",
       .more_benchmarks = {},
       .operators = {"aten.addmm"},
       .nights = {one_night}},
  };
}

// Where a benchmark is not called as its family is.
std::string family_of(const std::string& benchmark) {
  if (benchmark == "nvidia_deeprecommender") return "deeprecommender";
  if (benchmark == "resnet18") return "resnet";
  if (benchmark == "squeezenet1_1") return "squeezenet";
  return benchmark;
}

}  // namespace

std::string PaperFault::series() const {
  return benchmark + "/cpu-infer/" + metric;
}

const std::vector<PaperFault>& paper_faults() {
  static const std::vector<PaperFault> faults = all_faults();
  return faults;
}

std::vector<std::string> families_of(const std::vector<PaperFault>& faults) {
  std::set<std::string> families;
  for (const PaperFault& fault : faults) {
    families.insert(family_of(fault.benchmark));
    for (const std::string& benchmark : fault.more_benchmarks) families.insert(family_of(benchmark));
  }
  return {families.begin(), families.end()};
}

Result<std::vector<PaperFault>> chosen_faults(const std::vector<std::string>& names) {
  if (names.empty()) return paper_faults();
  std::vector<std::string> kinds, known;
  for (const PaperFault& fault : paper_faults()) {
    kinds.push_back(fmt::format("{} ({})", fault.kind, fault.pull_request));
    known.insert(known.end(), {fault.kind, std::to_string(fault.pull_request)});
  }
  for (const std::string& name : names) {
    if (std::ranges::find(known, name) == known.end())
      return fail(ErrorKind::usage, "--only {}: the paper has no such fault{}; choose from {}", one_line(name, 60),
                  did_you_mean(name, known), join(kinds, ", "));
  }
  std::vector<PaperFault> chosen;
  std::ranges::copy_if(paper_faults(), std::back_inserter(chosen), [&](const PaperFault& fault) {
    return std::ranges::find(names, fault.kind) != names.end() ||
           std::ranges::find(names, std::to_string(fault.pull_request)) != names.end();
  });
  TBCI_ASSERT(!chosen.empty());
  return chosen;
}

}  // namespace tbci::daemon::faults
