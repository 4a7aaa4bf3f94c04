// Counts which of PyTorch's operators a suite reaches, from the output of its worker. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "storage/model/words.hpp"

namespace tbci::runner {

/// What one iteration calls. Names as Python writes them: `aten.add.Tensor`.
struct OperatorCalls {
  std::map<std::string, std::int64_t> below_autograd;  ///< calls; composite operators are decomposed
  std::set<std::string> at_any_depth;                  ///< all operators that went through the dispatcher
};

/// The output of `tbci-worker operators`. Errors (failed): the worker's own error line, or what violates the protocol.
Result<OperatorCalls> parse_operators(std::string_view output);

/// The operators of one benchmark in one mode.
struct Reached {
  std::string benchmark, domain;
  bool train = false;
  OperatorCalls calls;
};

/// Operators of ATen, with their overload, at any depth unless a name says below autograd.
struct Coverage {
  struct Sets {
    std::set<std::string> all, train, infer;
  };
  Sets at_any_depth, below_autograd;
  std::map<std::string, Sets> by_domain;            ///< at any depth
  std::set<std::string> mlperf;                     ///< at any depth, of the benchmarks in mlperf_like()
  std::set<std::string> mlperf_below_autograd;      ///< the same below autograd
  std::map<std::string, std::string> by_one_alone;  ///< operator (any depth) -> the one benchmark that reaches it
  std::set<std::string> of_other_libraries;         ///< `quantized.add.default`: not part of the sets above

  /// Names at any depth without their overload, as a profiler shows them.
  std::set<std::string> names() const;
};

Coverage coverage_of(const std::vector<Reached>& reached);

/// The benchmarks of Table 1 that represent the tasks of MLPerf: image classification, detection, BERT, recommendation
/// and speech recognition. Its 3D segmentation has no counterpart in Table 1.
const std::vector<std::string>& mlperf_like();

}  // namespace tbci::runner
