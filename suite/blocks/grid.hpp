// The rectangular ocean grids of the pyhpc models: their size, random fields on them, and the parts of a field that a
// stencil takes. Double precision, as in the originals.
#pragma once

#include <algorithm>
#include <cmath>

#include "suite/benchmark.hpp"

namespace tbci::suite {

// From `first` up to, but without, `last`; a negative number counts from the end, as in Python.
struct Range {
  std::int64_t first = 0;
  std::int64_t last = std::numeric_limits<std::int64_t>::max();

  bool whole() const { return first == 0 && last == std::numeric_limits<std::int64_t>::max(); }
};

// The part of a field in its first three dimensions: eastward, northward, upward.
inline torch::Tensor part(const torch::Tensor& field, const Range& x, const Range& y = {}, const Range& z = {}) {
  torch::Tensor taken = field;
  std::int64_t dimension = 0;
  for (const Range* range : {&x, &y, &z}) {
    if (!range->whole()) taken = taken.slice(dimension, range->first, range->last);
    ++dimension;
  }
  return taken;
}

// Vectors along one direction, reshaped to broadcast over fields.
inline torch::Tensor eastward(const torch::Tensor& v) {
  return v.unsqueeze(1).unsqueeze(2);
}
inline torch::Tensor northward(const torch::Tensor& v) {
  return v.unsqueeze(0).unsqueeze(2);
}
inline torch::Tensor upward(const torch::Tensor& v) {
  return v.unsqueeze(0).unsqueeze(1);
}

// The grid of about `points` cells: eight times as wide as deep. The originals take at least 4096 cells; here
// every grid is large enough for its stencils to have an interior.
class Grid {
 public:
  Grid(std::int64_t points, const torch::Device& device)
      : options_(torch::TensorOptions().dtype(torch::kDouble).device(device)) {
    const double side = std::pow(static_cast<double>(points), 1.0 / 3.0);
    const auto cells = [side](double times) { return static_cast<std::int64_t>(std::ceil(times * side)); };
    width_ = std::max<std::int64_t>(cells(2.0), 6);
    depth_ = std::max<std::int64_t>(cells(0.25), 3);
  }

  std::int64_t width() const { return width_; }  // eastward and northward
  std::int64_t depth() const { return depth_; }
  const torch::TensorOptions& options() const { return options_; }

  torch::Tensor across() const { return torch::randn({width_}, options_); }
  torch::Tensor down() const { return torch::randn({depth_}, options_); }
  torch::Tensor surface() const { return torch::randn({width_, width_}, options_); }
  torch::Tensor field() const { return torch::randn({width_, width_, depth_}, options_); }
  torch::Tensor at_three_times() const { return torch::randn({width_, width_, depth_, 3}, options_); }
  torch::Tensor uniform(double low, double high) const {
    return torch::empty({width_, width_, depth_}, options_).uniform_(low, high);
  }
  torch::Tensor mask() const { return (uniform(0.0, 1.0) < 0.8).to(torch::kDouble); }  // 1 is water

 private:
  torch::TensorOptions options_;
  std::int64_t width_ = 0;
  std::int64_t depth_ = 0;
};

}  // namespace tbci::suite
