// What CUDA does with an operator, as far as it can be seen from its name and its arguments.
#pragma once

#include <ATen/core/stack.h>

#include <cstdint>
#include <string>

namespace c10 {
class OperatorHandle;
struct FunctionSchema;
}  // namespace c10

namespace tbci::suite::standin {

// Throws what CUDA throws where the arguments have a tensor of the host that this operator does not take there.
void refuse_host_tensors(const c10::FunctionSchema& schema, c10::ArrayRef<c10::IValue> arguments);

// Notes what the operator costs, before it runs: waits for its result's size, and copies of indices.
void note_waits(const c10::FunctionSchema& schema, c10::ArrayRef<c10::IValue> arguments);

// Whether it only makes or describes a tensor, without a kernel.
bool needs_no_kernel(const std::string& name);

}  // namespace tbci::suite::standin
