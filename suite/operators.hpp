// Which operators a piece of work calls, and how often.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>

namespace c10 {
struct OperatorName;
}

namespace tbci::suite {

// Names are written as PyTorch's Python side writes them: `aten.add.Tensor`, `aten.relu.default`.
struct OperatorCalls {
  // Below autograd: the operators that reach a kernel, after those that only consist of others (`linear`, `conv2d`) are
  // decomposed. The operators that a kernel calls do not count. A TorchDispatchMode sees the same level.
  std::map<std::string, std::int64_t> below_autograd;

  // Every operator that went through the dispatcher, at any depth.
  std::set<std::string> at_any_depth;
};

// `aten::add`, `Tensor` -> `aten.add.Tensor`.
std::string python_name(const c10::OperatorName& name);

// `autograd::engine::evaluate_function: torch::autograd::AccumulateGrad` -> `AccumulateGrad`; any other text stays.
std::string node_name(const std::string& text);

// Runs `work` and watches the operators that this thread calls. Observed by at::RecordFunction. Throws what `work`
// throws, and stops watching in either case. Must not be nested.
OperatorCalls operators_of(const std::function<void()>& work);

}  // namespace tbci::suite
