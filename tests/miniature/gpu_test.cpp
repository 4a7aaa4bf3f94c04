#include "miniature/gpu.hpp"

#include "base/text.hpp"
#include "miniature/plan.hpp"
#include "tests/catch.hpp"

namespace tbci::gpu_test {

using namespace tbci::miniature;

namespace {

/// A day with every fault that works on a GPU, and what they did to the files.
Plan everything(std::uint64_t seed = 1) {
  Options options;
  options.seed = seed;
  options.gpu = true;
  options.commits = 200;
  options.faults.emplace();
  for (const std::string& kind : gpu_fault_kinds()) options.faults->push_back({kind, std::nullopt, 1});
  auto plan = make_plan(options);
  INFO((plan ? std::string() : plan.error().message));
  REQUIRE(plan);
  return std::move(*plan);
}

TEST_CASE("Gpu: no commit calls a kernel of the CPU or reads values where they lie", "[miniature]") {
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    const Plan plan = everything(seed);
    CHECK(plan.culprits.size() == gpu_fault_kinds().size());
    for (const PlannedCommit& commit : plan.commits) {
      for (const auto& [path, text] : commit.tree) {
        CAPTURE(path, commit.message);
        for (const char* part : {"at::cpu", "_cpu_dispatch", "aten, CPU", "data_ptr"})
          CHECK_FALSE(contains(text, part));
      }
    }
  }
}

TEST_CASE("Gpu: the kernels are those of CUDA, registered and linked as such", "[miniature]") {
  const Plan plan = everything();
  const Tree& first = plan.commits.front().tree;
  const std::string& products = first.at("kernels/matrix_products.cpp");
  CHECK(contains(products, "#include <ATen/ops/addmm_cuda_dispatch.h>"));
  CHECK(contains(products, "return at::cuda::addmm("));
  CHECK(contains(products, "return at::cuda::mm("));
  CHECK(contains(first.at("kernels/activations.cpp"), "return at::cuda::relu("));
  CHECK(contains(first.at("kernels/registration.cpp"), "TORCH_LIBRARY_IMPL(aten, CUDA, m) {"));
  CHECK(contains(first.at("Makefile"), "LDLIBS := -ltorch_cuda -lc10_cuda -ltorch_cpu -lc10\n"));
  CHECK(contains(first.at("Makefile"), "-Wl,-rpath,$(abspath $(TORCH)/lib)"));
}

TEST_CASE("Gpu: the documents speak of the GPU", "[miniature]") {
  const Plan plan = everything();
  const Tree& last = plan.commits.back().tree;
  CHECK(contains(last.at("README.md"), "for LibTorch on a GPU"));
  CHECK(contains(last.at("docs/design.md"), "LibTorch's own CUDA kernels"));
  CHECK(contains(last.at("docs/faq.md"), "## Does it run on the CPU?\n\nNo. Only those of CUDA are replaced."));
}

TEST_CASE("Gpu: the memory that faults take is that of the GPU", "[miniature]") {
  const Plan plan = everything();
  const std::string& text = plan.commits.back().tree.at("kernels/activations.cpp");
  CHECK(contains(text, "at::empty({kWorkspaceBytes}, self.options().dtype(at::kByte))"));
  CHECK(contains(text, "at::empty({kScratchBytes}, self.options().dtype(at::kByte))"));
  CHECK_FALSE(contains(text, "make_unique"));
  CHECK_FALSE(contains(text, "std::vector<char>"));
}

TEST_CASE("Gpu: the same seed gives the same commits as for the CPU, but for the files", "[miniature]") {
  Options options;
  options.faults = {{"memory-peak", 40, 1}};
  const auto cpu = make_plan(options);
  options.gpu = true;
  const auto gpu = make_plan(options);
  REQUIRE(cpu);
  REQUIRE(gpu);
  REQUIRE(cpu->commits.size() == gpu->commits.size());
  for (std::size_t i = 0; i < cpu->commits.size(); ++i) {
    CHECK(cpu->commits[i].message == gpu->commits[i].message);
    CHECK(cpu->commits[i].builds == gpu->commits[i].builds);
    CHECK(cpu->commits[i].tree != gpu->commits[i].tree);
  }
}

TEST_CASE("Gpu: without a fault that is asked for, the day has one that works on a GPU", "[miniature]") {
  Options options;
  options.gpu = true;
  const auto plan = make_plan(options);
  REQUIRE(plan);
  REQUIRE(plan->culprits.size() == 1);
  CHECK(plan->culprits[0].fault == "addmm-dtype");
}

TEST_CASE("Gpu: a change that is translated still undoes what it did", "[miniature]") {
  const Change change = {.subject = "Call it",
                         .body = {},
                         .edits = {{Edit::Kind::replace, "a.cpp", "at::cpu::mm(a)", "at::cpu::mm(b)"}},
                         .fault = {},
                         .benchmarks = {}};
  const Tree before = for_gpu(Tree{{"a.cpp", "return at::cpu::mm(a);\n"}});
  Tree tree = before;
  REQUIRE(apply_change(for_gpu(change), tree));
  CHECK(tree.at("a.cpp") == "return at::cuda::mm(b);\n");
  REQUIRE(apply_change(for_gpu(reversed(change, "Undo", "")), tree));
  CHECK(tree == before);
}

}  // namespace

}  // namespace tbci::gpu_test
