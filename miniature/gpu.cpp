#include "miniature/gpu.hpp"

#include <array>

namespace tbci::miniature {
namespace {

struct Translation {
  std::string_view cpu;
  std::string_view gpu;
};

// Whole enough that nothing else is hit, and short enough that a change of a line is translated as the line is.
constexpr std::array kTranslations = {
    // kernels/
    Translation{"at::cpu::", "at::cuda::"},
    Translation{"_cpu_dispatch.h", "_cuda_dispatch.h"},
    Translation{"TORCH_LIBRARY_IMPL(aten, CPU, m)", "TORCH_LIBRARY_IMPL(aten, CUDA, m)"},
    // Makefile. A worker that measures on the CPU has not loaded LibTorch's half for the GPU: the library finds it
    // itself.
    Translation{"-L$(TORCH)/lib", "-L$(TORCH)/lib -Wl,-rpath,$(abspath $(TORCH)/lib)"},
    Translation{"-ltorch_cpu -lc10", "-ltorch_cuda -lc10_cuda -ltorch_cpu -lc10"},
    // documents
    Translation{"for LibTorch on the CPU", "for LibTorch on a GPU"},
    Translation{"for the CPU", "for CUDA"},
    Translation{"own CPU kernels", "own CUDA kernels"},
    Translation{"## Does it run on a GPU?", "## Does it run on the CPU?"},
    Translation{"Only the CPU's kernels are replaced", "Only those of CUDA are replaced"},
};

std::string translated(std::string text) {
  for (const Translation& translation : kTranslations) replace_all(text, translation.cpu, translation.gpu);
  return text;
}

}  // namespace

Tree for_gpu(const Tree& tree) {
  Tree result;
  for (const auto& [path, text] : tree) result.emplace(path, translated(text));
  return result;
}

Change for_gpu(Change change) {
  change.body = translated(std::move(change.body));
  for (Edit& edit : change.edits) {
    edit.before = translated(std::move(edit.before));
    edit.after = translated(std::move(edit.after));
  }
  return change;
}

}  // namespace tbci::miniature
