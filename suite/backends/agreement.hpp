// Whether two runs of one iteration computed the same.
#pragma once

#include <string>
#include <vector>

#include "suite/benchmark.hpp"

namespace tbci::suite {

struct Agreement {
  double difference = 0;  // the largest of all tensors
  std::string why;        // empty, or in one line which tensor differs and how
};

struct Tolerance {
  double most = 1e-3;  // of a tensor's norm
  // What eager computed with rounding added to its weights (rounding.hpp), as often as it was tried. A tensor may
  // differ by ten times what the farthest of these does, and at most by a twentieth of its norm: no compiler rounds as
  // eager does, and where a number near zero meets a relu, the gradient jumps.
  std::vector<Tensors> moved;
};

// The difference of two tensors is the 2-norm of their difference by that of the expected one, over the elements that
// are finite. A tensor with less than a hundredth of the largest norm is measured by that hundredth: the gradient of a
// bias before a batch normalisation is zero but for rounding. Elements that are not finite must be so in both. `words`
// name the tensors.
Agreement compare(const Tensors& expected, const Tensors& got, const Tolerance& tolerance, const std::string& words);

}  // namespace tbci::suite
