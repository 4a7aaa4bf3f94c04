// Whether two runs of one iteration computed the same.
#pragma once

#include <string>

#include "suite/benchmark.hpp"

namespace tbci::suite {

struct Agreement {
  double difference = 0;  // the largest of all tensors
  std::string why;        // empty, or in one line which tensor differs and how
};

// The difference of two tensors is the 2-norm of their difference by that of the expected one, over the elements that
// are finite. A tensor with less than a hundredth of the largest norm is measured by that hundredth: the gradient of a
// bias before a batch normalisation is zero but for rounding. Elements that are not finite must be so in both. `most`
// is allowed. `words` name the tensors.
Agreement compare(const Tensors& expected, const Tensors& got, double most, const std::string& words);

}  // namespace tbci::suite
