// Made-up clicks: what a sample is follows from the seed, the iteration and its number in the batch alone. So each rank
// draws its own samples, and however many ranks there are, they train on the same ones.
#pragma once

#include <cstdint>
#include <vector>

namespace tbci::suite::ranks {

struct ClickTable {
  std::int64_t rows;
  std::int64_t lookups;  // in a sample, on average: from 1 to twice as many less 1
};

struct ClickShape {
  std::int64_t dense;  // numbers of a sample
  std::vector<ClickTable> tables;
};

struct Samples {
  std::int64_t first, count;  // of a batch
};

// Which rank has which samples of a batch: neighbours, and all ranks the same number as far as it goes.
Samples samples_of(int rank, int ranks, std::int64_t batch);

// The rows that one table is asked for: of sample 0 first.
struct Asked {
  std::vector<std::int32_t> lengths;  // by sample
  std::vector<std::int32_t> rows;
};

struct Clicks {
  std::vector<float> dense;   // by sample
  std::vector<float> target;  // by sample
  std::vector<Asked> tables;
};

Clicks draw_clicks(const ClickShape& shape, std::uint64_t seed, std::uint64_t iteration, Samples samples);

}  // namespace tbci::suite::ranks
