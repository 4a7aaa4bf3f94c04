// The pieces of embedding tables that one rank has: in memory, or in files behind a cache of their rows.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <torch/torch.h>

#include "suite/blocks/ranks/click_model.hpp"
#include "suite/blocks/tiers/tiered_tables.hpp"
#include "suite/ranks/layout.hpp"

namespace tbci::suite::ranks {

struct TierOfTables {
  double memory = 1;  // share of a rank's rows that memory may hold; 1: no piece lies in a file
  RowAccess access = RowAccess::mapped;
};

class OwnTables {
 public:
  // Throws what TieredTables throws; Unsupported where a piece has columns of which no whole number fills a block.
  OwnTables(const Layout& layout, const ClickModelShape& shape, std::uint64_t seed, const TierOfTables& tier,
            bool training);

  // Of each piece the sums of the batch's bags, [batch, columns]. Rows that lie in files come in first.
  Tensors sums(const std::vector<Layout::Bags>& bags);

  // Stochastic gradient descent on the rows of the last batch, and no gradients after it. One sum for each row: the
  // same in each run, and with any number of threads.
  void descend(double learning_rate);

  Tensors whole() const;  // each piece

  bool on_tiers() const { return tiers_ != nullptr; }
  void restart_counts();
  // Since then, of all pieces; zeros where they lie in memory. A part of a row counts as that part.
  struct Traffic {
    double unique_rows = 0, hits = 0;
    std::int64_t bytes_read = 0, bytes_written = 0;
  };
  Traffic traffic() const;
  std::int64_t waited_nanoseconds() const { return tiers_ ? tiers_->waited_nanoseconds() : 0; }

 private:
  Tensors weights_;  // of each piece: itself, or the rows of the last batch
  std::unique_ptr<TieredTables> tiers_;
  double part_of_row_ = 1;  // that a piece has, where they lie on tiers
};

}  // namespace tbci::suite::ranks
