// What ranks send each other. LibTorch sends it; here it is only looked at.
#include "kernels.hpp"

#include "checks.hpp"

namespace miniature {

void check_sent(const at::Tensor& sent) {
  TORCH_CHECK(sent.defined(), "all-to-all: there is nothing to send");
  TORCH_CHECK(in_range(sent.dim() - 1, kMostDimensions), "all-to-all: too many dimensions");
}

}  // namespace miniature
