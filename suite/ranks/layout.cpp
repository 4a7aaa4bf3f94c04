#include "suite/ranks/layout.hpp"

#include <map>
#include <numeric>
#include <utility>

namespace tbci::suite::ranks {
namespace {

// The rows of one piece that each sample asks for, at the ends of what goes to the piece's rank.
void append_requests(const Asked& asked, const Piece& piece, std::vector<std::int32_t>& lengths,
                     std::vector<std::int32_t>& rows) {
  std::size_t at = 0;
  for (const std::int32_t length : asked.lengths) {
    std::int32_t own = 0;
    for (std::int32_t i = 0; i < length; ++i) {
      const std::int64_t row = asked.rows[at++];
      if (row < piece.row_begin || row >= piece.row_end) continue;
      rows.push_back(static_cast<std::int32_t>(row - piece.row_begin));
      ++own;
    }
    lengths.push_back(own);
  }
}

torch::Tensor tensor_of(const std::vector<std::int32_t>& numbers) {
  return torch::tensor(at::ArrayRef<std::int32_t>(numbers), torch::kInt);
}

}  // namespace

Layout::Layout(std::vector<Piece> pieces, int rank, int ranks, std::int64_t batch)
    : pieces_(std::move(pieces)), rank_(rank), ranks_(ranks), batch_(batch), by_rank_(static_cast<std::size_t>(ranks)) {
  for (std::size_t i = 0; i < pieces_.size(); ++i) by_rank_[static_cast<std::size_t>(pieces_[i].rank)].push_back(i);
  for (int each = 0; each < ranks; ++each) samples_.push_back(ranks::samples_of(each, ranks, batch));
}

Layout::Requests Layout::requests(const Clicks& clicks) const {
  Requests to;
  for (const auto& pieces : by_rank_) {
    const std::size_t lengths_before = to.lengths.content.size(), rows_before = to.rows.content.size();
    for (const std::size_t i : pieces) {
      const Asked& asked = clicks.tables[static_cast<std::size_t>(pieces_[i].table)];
      append_requests(asked, pieces_[i], to.lengths.content, to.rows.content);
    }
    to.lengths.counts.push_back(static_cast<std::int64_t>(to.lengths.content.size() - lengths_before));
    to.rows.counts.push_back(static_cast<std::int64_t>(to.rows.content.size() - rows_before));
  }
  return to;
}

Counts Layout::lengths_to_come() const {
  Counts counts;
  for (const Samples& samples : samples_)
    counts.push_back(samples.count * static_cast<std::int64_t>(own_pieces().size()));
  return counts;
}

Counts Layout::rows_to_come(const torch::Tensor& lengths) const {
  Counts counts;
  const auto* next = lengths.data_ptr<std::int32_t>();
  for (const std::int64_t count : lengths_to_come()) {
    counts.push_back(std::accumulate(next, next + count, std::int64_t{0}));
    next += count;
  }
  return counts;
}

std::vector<Layout::Bags> Layout::bags(const torch::Tensor& lengths, const torch::Tensor& rows) const {
  const std::size_t own = own_pieces().size();
  std::vector<std::vector<std::int32_t>> rows_of(own), offsets_of(own);
  const auto* length = lengths.data_ptr<std::int32_t>();
  const auto* row = rows.data_ptr<std::int32_t>();
  for (const Samples& samples : samples_) {
    for (std::size_t piece = 0; piece < own; ++piece) {
      for (std::int64_t i = 0; i < samples.count; ++i) {
        offsets_of[piece].push_back(static_cast<std::int32_t>(rows_of[piece].size()));
        rows_of[piece].insert(rows_of[piece].end(), row, row + *length);
        row += *length++;
      }
    }
  }
  std::vector<Bags> bags;
  for (std::size_t piece = 0; piece < own; ++piece)
    bags.push_back({tensor_of(rows_of[piece]), tensor_of(offsets_of[piece])});
  return bags;
}

Counts Layout::sums_of_own_pieces() const {
  std::int64_t columns = 0;
  for (const std::size_t i : own_pieces()) columns += pieces_[i].columns();
  Counts counts;
  for (const Samples& samples : samples_) counts.push_back(samples.count * columns);
  return counts;
}

Counts Layout::sums_for_own_samples() const {
  Counts counts;
  for (const auto& pieces : by_rank_) {
    std::int64_t columns = 0;
    for (const std::size_t i : pieces) columns += pieces_[i].columns();
    counts.push_back(own_samples().count * columns);
  }
  return counts;
}

torch::Tensor Layout::packed(const std::vector<torch::Tensor>& sums) const {
  std::vector<torch::Tensor> parts{torch::empty({0})};  // a rank may have no piece
  for (const Samples& samples : samples_) {
    for (const torch::Tensor& sum : sums) parts.push_back(sum.narrow(0, samples.first, samples.count).reshape({-1}));
  }
  return torch::cat(parts);
}

std::vector<torch::Tensor> Layout::gradients(const torch::Tensor& came) const {
  std::vector<std::vector<torch::Tensor>> parts(own_pieces().size());
  std::int64_t at = 0;
  for (const Samples& samples : samples_) {
    for (std::size_t piece = 0; piece < parts.size(); ++piece) {
      const std::int64_t columns = pieces_[own_pieces()[piece]].columns();
      parts[piece].push_back(came.narrow(0, at, samples.count * columns).view({samples.count, columns}));
      at += samples.count * columns;
    }
  }
  std::vector<torch::Tensor> whole;
  for (const auto& of_piece : parts) whole.push_back(torch::cat(of_piece));
  return whole;
}

torch::Tensor Layout::embeddings(const torch::Tensor& came) const {
  const std::int64_t samples = own_samples().count;
  std::vector<torch::Tensor> of_piece(pieces_.size());
  std::int64_t at = 0;
  for (const auto& pieces : by_rank_) {
    for (const std::size_t i : pieces) {
      of_piece[i] = came.narrow(0, at, samples * pieces_[i].columns()).view({samples, pieces_[i].columns()});
      at += samples * pieces_[i].columns();
    }
  }
  std::vector<std::map<std::int64_t, torch::Tensor>> tables;  // by first column
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    tables.resize(static_cast<std::size_t>(pieces_[i].table) + 1);
    torch::Tensor& sum = tables.back()[pieces_[i].column_begin];
    sum = sum.defined() ? sum + of_piece[i] : of_piece[i];
  }
  std::vector<torch::Tensor> all;
  for (const auto& columns : tables) {
    for (const auto& column : columns) all.push_back(column.second);
  }
  return torch::cat(all, 1).view({samples, static_cast<std::int64_t>(tables.size()), -1});
}

torch::Tensor Layout::packed_gradients(const torch::Tensor& of_embeddings) const {
  std::vector<torch::Tensor> parts;
  for (const auto& pieces : by_rank_) {
    for (const std::size_t i : pieces) {
      const Piece& piece = pieces_[i];
      parts.push_back(
          of_embeddings.select(1, piece.table).narrow(1, piece.column_begin, piece.columns()).reshape({-1}));
    }
  }
  return torch::cat(parts);
}

}  // namespace tbci::suite::ranks
