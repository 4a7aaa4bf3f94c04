// In which floating-point types a piece of work computes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include <torch/torch.h>

namespace tbci::suite {

struct ElementTypes {
  // How many calls took a tensor of that type first: `bf16` -> 120. Of operators that are made of others, the innermost
  // count. Casts and views do not: they compute nothing.
  std::map<std::string, std::int64_t> operators;

  // Where the work threw: the innermost operator that it threw in, as `aten::addmm`; else empty.
  std::string failed_in;
};

// `fp32`, `bf16`, `fp16`, `fp64`; other types by LibTorch's own name.
std::string short_name(at::ScalarType type);

// Runs `work` and fills `seen` with what this thread calls, also where `work` throws. On a GPU the backward pass runs
// on another thread and is not seen. Throws what `work` throws. Must not be nested.
void watch_element_types(const std::function<void()>& work, ElementTypes& seen);

}  // namespace tbci::suite
