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
// are finite in both. Elements that are not finite must be so in both. `most` is allowed. `words` name the tensors.
Agreement compare(const Tensors& expected, const Tensors& got, double most, const std::string& words);

}  // namespace tbci::suite
