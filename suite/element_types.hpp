// The floating-point types that a piece of work computes in.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include <torch/torch.h>

namespace tbci::suite {

struct ElementTypes {
  // The number of calls whose first tensor has that type: `bf16` -> 120. If an operator is made of others, only the
  // innermost count. Casts and views do not count, because they compute nothing.
  std::map<std::string, std::int64_t> operators;

  // If the work threw: the innermost operator that threw, such as `aten::addmm`. Else empty.
  std::string failed_in;
};

// `fp32`, `bf16`, `fp16`, `fp64`; other types by LibTorch's own name.
std::string short_name(at::ScalarType type);

// Runs `work` and fills `seen` with what this thread calls, even if `work` throws. On a GPU the backward pass runs
// on another thread and is not seen. Throws what `work` throws. Must not be nested.
void watch_element_types(const std::function<void()>& work, ElementTypes& seen);

}  // namespace tbci::suite
