#pragma once

#include <ATen/core/Tensor.h>

#include <string>

/// Texts for the messages of errors.
namespace miniature {

/// The type and the shape of a tensor, such as "Float[2, 512]".
std::string describe(const at::Tensor& tensor);

/// Where the program is: the innermost `frames` callers, one a line. Slow.
std::string where(std::size_t frames);

}  // namespace miniature
