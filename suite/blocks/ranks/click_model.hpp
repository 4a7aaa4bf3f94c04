// The parts of dlrm_hybrid that are the same however many ranks there are: its sizes, its layers, its tables' rows.
#pragma once

#include <cstdint>
#include <vector>

#include <torch/torch.h>

#include "suite/benchmark.hpp"
#include "suite/ranks/clicks.hpp"
#include "suite/ranks/shards.hpp"

namespace tbci::suite::ranks {

struct ClickModelShape {
  ClickShape clicks;
  std::int64_t width;                // of a row
  std::vector<std::int64_t> bottom;  // hidden layers
  std::vector<std::int64_t> top;     // hidden layers
};

ClickModelShape click_model_shape(Size size);

// The layers, which each rank has a copy of. All draw the same weights.
class ClickLayers {
 public:
  ClickLayers(const ClickModelShape& shape, std::uint64_t seed);

  torch::Tensor bottom(const torch::Tensor& dense) { return bottom_->forward(dense); }
  torch::Tensor top(const torch::Tensor& x, const torch::Tensor& embeddings);  // [samples, tables, width]
  Tensors parameters() const;

 private:
  torch::nn::Sequential bottom_{nullptr}, top_{nullptr};
  torch::Tensor first_, second_;
};

// With their costs, as counted in this many samples that are never trained on.
inline constexpr std::int64_t counted_samples = 512;
std::vector<Piece> pieces_of_tables(const ClickModelShape& shape, Split split, int ranks, std::uint64_t seed);

// The rows of a piece at the beginning. A whole table is drawn and a piece kept, so that a row is the same however the
// table is cut.
torch::Tensor drawn_piece(const Piece& piece, const ClickModelShape& shape, std::uint64_t seed);

}  // namespace tbci::suite::ranks
