// What goes from which rank to which: the rows that are asked for, to the ranks that have them, and their sums back.
#pragma once

#include <cstdint>
#include <vector>

#include <torch/torch.h>

#include "suite/ranks/clicks.hpp"
#include "suite/ranks/shards.hpp"

namespace tbci::suite::ranks {

using Counts = std::vector<std::int64_t>;  // by rank

struct Message {
  std::vector<std::int32_t> content;  // to the first rank first
  Counts counts;
};

class Layout {
 public:
  Layout(std::vector<Piece> pieces, int rank, int ranks, std::int64_t batch);

  const std::vector<Piece>& pieces() const { return pieces_; }
  const std::vector<std::size_t>& pieces_of(int rank) const { return by_rank_[static_cast<std::size_t>(rank)]; }
  const std::vector<std::size_t>& own_pieces() const { return pieces_of(rank_); }
  Samples samples(int rank) const { return samples_[static_cast<std::size_t>(rank)]; }
  Samples own_samples() const { return samples(rank_); }
  int ranks() const { return ranks_; }
  int rank() const { return rank_; }
  std::int64_t batch() const { return batch_; }

  // Of the own samples: to each rank for each of its pieces, how many rows each sample asks for, and which.
  struct Requests {
    Message lengths, rows;
  };
  Requests requests(const Clicks& clicks) const;

  // What comes to this rank of that: for each own piece, the lengths of each rank's samples; and the rows.
  Counts lengths_to_come() const;
  Counts rows_to_come(const torch::Tensor& lengths) const;

  // Of what came, for each own piece and for the whole batch.
  struct Bags {
    torch::Tensor rows, offsets;
  };
  std::vector<Bags> bags(const torch::Tensor& lengths, const torch::Tensor& rows) const;

  // Numbers of the sums: those of own pieces for the samples of each rank; of each rank's pieces for the own samples.
  Counts sums_of_own_pieces() const;
  Counts sums_for_own_samples() const;

  // `sums`, for each own piece [batch, columns], as they go out; and back, of gradients.
  torch::Tensor packed(const std::vector<torch::Tensor>& sums) const;
  std::vector<torch::Tensor> gradients(const torch::Tensor& came) const;

  // What came, for the own samples: [samples, tables, width]. A table's rows lie on several ranks: always in the same
  // order, their sums are added. And back, of gradients.
  torch::Tensor embeddings(const torch::Tensor& came) const;
  torch::Tensor packed_gradients(const torch::Tensor& of_embeddings) const;

 private:
  std::vector<Piece> pieces_;
  int rank_, ranks_;
  std::int64_t batch_;
  std::vector<std::vector<std::size_t>> by_rank_;
  std::vector<Samples> samples_;
};

}  // namespace tbci::suite::ranks
