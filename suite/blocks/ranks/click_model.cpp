#include "suite/blocks/ranks/click_model.hpp"

#include <algorithm>
#include <cmath>

#include "suite/blocks/dlrm_layers.hpp"

namespace tbci::suite::ranks {

// Tables of uneven size, some of which are asked far more than others: what makes it hard to share them out.
ClickModelShape click_model_shape(Size size) {
  const bool paper = size == Size::paper;
  ClickModelShape shape{{paper ? 512 : 64, {}}, paper ? 64 : 32, {}, {}};
  shape.bottom = paper ? std::vector<std::int64_t>{512, 256} : std::vector<std::int64_t>{128};
  shape.top = paper ? std::vector<std::int64_t>{1024, 512} : std::vector<std::int64_t>{256, 128};
  const std::vector<std::int64_t> lookups{24, 20, 18, 16, 14, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2};
  for (std::size_t i = 0; i < lookups.size(); ++i)
    shape.clicks.tables.push_back({(paper ? 1000000 : 50000) / static_cast<std::int64_t>(i + 1), lookups[i]});
  return shape;
}

ClickLayers::ClickLayers(const ClickModelShape& shape, std::uint64_t seed) {
  auto random = at::make_generator<at::CPUGeneratorImpl>(seed);
  const auto features = static_cast<std::int64_t>(shape.clicks.tables.size()) + 1;
  std::vector<std::int64_t> bottom{shape.clicks.dense}, top{dlrm_top_inputs(features, shape.width)};
  bottom.insert(bottom.end(), shape.bottom.begin(), shape.bottom.end());
  bottom.push_back(shape.width);
  top.insert(top.end(), shape.top.begin(), shape.top.end());
  top.push_back(1);
  bottom_ = dlrm_layers(bottom, AfterLast::relu, random);
  top_ = dlrm_layers(top, AfterLast::nothing, random);
  const torch::Tensor pairs = torch::tril_indices(features, features, -1);
  first_ = pairs[0].clone();
  second_ = pairs[1].clone();
}

torch::Tensor ClickLayers::top(const torch::Tensor& x, const torch::Tensor& embeddings) {
  const torch::Tensor all = torch::cat({x.unsqueeze(1), embeddings}, 1);
  return torch::sigmoid(top_->forward(torch::cat({x, dlrm_products(all, first_, second_)}, 1)));
}

Tensors ClickLayers::parameters() const {
  Tensors all = bottom_->parameters();
  const Tensors more = top_->parameters();
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

std::vector<Piece> pieces_of_tables(const ClickModelShape& shape, Split split, int ranks, std::uint64_t seed) {
  std::vector<std::int64_t> rows;
  for (const ClickTable& table : shape.clicks.tables) rows.push_back(table.rows);
  auto pieces = split_tables(rows, shape.width, split, ranks);
  const Clicks clicks = draw_clicks(shape.clicks, seed, UINT64_MAX, {0, counted_samples});
  for (Piece& piece : pieces) {
    const auto& asked = clicks.tables[static_cast<std::size_t>(piece.table)].rows;
    const auto lookups = std::count_if(asked.begin(), asked.end(),
                                       [&](std::int64_t row) { return row >= piece.row_begin && row < piece.row_end; });
    piece.cost = static_cast<double>(lookups * piece.columns());
  }
  return pieces;
}

torch::Tensor drawn_piece(const Piece& piece, const ClickModelShape& shape, std::uint64_t seed) {
  const auto table = static_cast<std::size_t>(piece.table);
  const std::int64_t rows = shape.clicks.tables[table].rows;
  auto random = at::make_generator<at::CPUGeneratorImpl>(seed + 1 + table);
  const double bound = std::sqrt(1.0 / static_cast<double>(rows));
  const torch::Tensor whole = torch::empty({rows, shape.width}).uniform_(-bound, bound, random);
  return whole.narrow(0, piece.row_begin, piece.rows()).narrow(1, piece.column_begin, piece.columns()).clone();
}

}  // namespace tbci::suite::ranks
