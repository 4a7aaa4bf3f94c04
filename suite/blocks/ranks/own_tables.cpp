#include "suite/blocks/ranks/own_tables.hpp"

#include <string>
#include <utility>

namespace tbci::suite::ranks {
namespace {

TieredShape tiered_shape(const Layout& layout, const ClickModelShape& shape) {
  TieredShape tiered{{}, shape.width, layout.batch()};
  for (const std::size_t number : layout.own_pieces()) {
    const Piece& piece = layout.pieces()[number];
    if (!RowFile::fits(piece.columns())) {
      throw Unsupported("its tables are cut into pieces of " + std::to_string(piece.columns()) +
                        " columns, of which no whole number of rows fills a block: use --set split=table or row, 2 or "
                        "4 ranks, or --set cache=1");
    }
    tiered.width = piece.columns();  // of all pieces: a power of two is cut into equal parts
    tiered.tables.push_back({piece.rows(), piece.cost / static_cast<double>(piece.columns() * counted_samples),
                             "piece " + std::to_string(piece.number) + " of table " + std::to_string(piece.table)});
  }
  return tiered;
}

std::vector<std::int64_t> numbers_of(const torch::Tensor& rows) {
  const auto* first = rows.data_ptr<std::int32_t>();
  return {first, first + rows.numel()};
}

}  // namespace

OwnTables::OwnTables(const Layout& layout, const ClickModelShape& shape, std::uint64_t seed, const TierOfTables& tier,
                     bool training) {
  const auto& own = layout.own_pieces();
  const auto drawn = [&](std::size_t piece) { return drawn_piece(layout.pieces()[own[piece]], shape, seed); };
  if (tier.memory >= 1 || own.empty()) {
    for (std::size_t piece = 0; piece < own.size(); ++piece) weights_.push_back(drawn(piece).requires_grad_(training));
    return;
  }
  const TieredOptions options{.memory = tier.memory,
                              .access = tier.access,
                              .prefetch = false,  // which rows come next is known when they are needed
                              .training = training,
                              .folder = folder_of_row_files(),
                              .warm = false};
  std::pair<std::size_t, torch::Tensor> last{own.size(), {}};  // pieces are asked for one after the other
  part_of_row_ = static_cast<double>(layout.pieces()[own.front()].columns()) / static_cast<double>(shape.width);
  tiers_ = std::make_unique<TieredTables>(tiered_shape(layout, shape), options,
                                          [&](std::size_t piece, std::int64_t first, std::int64_t count) {
                                            if (last.first != piece) last = {piece, drawn(piece)};
                                            return last.second.narrow(0, first, count);
                                          });
}

Tensors OwnTables::sums(const std::vector<Layout::Bags>& bags) {
  Tensors rows;
  for (const Layout::Bags& each : bags) rows.push_back(each.rows);
  if (tiers_) {
    BatchRows batch;
    for (const torch::Tensor& each : rows) batch.push_back(numbers_of(each));
    TieredTables::Ready ready = tiers_->take(batch, nullptr);
    weights_ = std::move(ready.weights);
    rows = std::move(ready.indices);
  }
  Tensors sums;
  for (std::size_t piece = 0; piece < bags.size(); ++piece) {
    constexpr bool by_frequency = false, sparse = true;
    constexpr std::int64_t sum = 0;
    const torch::Tensor offsets = bags[piece].offsets.to(rows[piece].scalar_type());
    sums.push_back(std::get<0>(torch::embedding_bag(weights_[piece], rows[piece], offsets, by_frequency, sum, sparse)));
  }
  return sums;
}

void OwnTables::descend(double learning_rate) {
  const torch::NoGradGuard no_gradients;
  for (torch::Tensor& weights : weights_) {
    weights.add_(weights.grad().coalesce(), -learning_rate);
    weights.mutable_grad() = torch::Tensor();
  }
}

Tensors OwnTables::whole() const {
  return tiers_ ? tiers_->tables() : weights_;
}

void OwnTables::restart_counts() {
  if (tiers_) tiers_->restart_counts();
}

OwnTables::Traffic OwnTables::traffic() const {
  if (!tiers_) return {};
  TableTraffic sum;
  for (const TableTraffic& each : tiers_->traffic()) add_up(sum, each);
  return {.unique_rows = part_of_row_ * static_cast<double>(sum.unique_rows),
          .hits = part_of_row_ * static_cast<double>(sum.hits),
          .bytes_read = sum.bytes_read,
          .bytes_written = sum.bytes_written};
}

}  // namespace tbci::suite::ranks
