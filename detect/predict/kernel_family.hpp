// Which kind of work a kernel does, and how much of it its shapes ask for. Pure; safe from any thread.
#pragma once

#include <string_view>

#include "detect/predict/recorded_calls.hpp"

namespace tbci::detect {

enum class KernelFamily {
  embeddings,     ///< rows that indices name: bytes decide, and which rows a cache has
  copies,         ///< bytes decide
  elementwise,    ///< bytes decide
  reductions,     ///< bytes decide: sums, norms, softmax
  products,       ///< shapes decide: of matrices, attention and recurrent layers too
  convolutions,   ///< shapes decide
  communication,  ///< bytes decide: calls of c10d and of Gloo
  other,
};
/// `products`.
std::string_view to_string(KernelFamily family);

/// By the operator's name and, of products and convolutions, by whether there is a formula for them.
KernelFamily family_of(std::string_view name);

/// What a call's shapes ask for. Of products and convolutions: floating-point operations (flops_of_sizes). Of
/// embeddings: bytes of the indices, of a row for each of them, and of what is written. Of copies, elementwise
/// operators, reductions and communication: bytes of all that is read and written, memory that is both once. 0 of any
/// other, and where the shapes fit no formula.
double amount_of_work(std::string_view name, const std::vector<CallTensor>& inputs,
                      const std::vector<CallTensor>& outputs);

}  // namespace tbci::detect
