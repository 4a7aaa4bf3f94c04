// The pieces of embedding tables, and which rank has which.
#pragma once

#include <cstdint>
#include <vector>

namespace tbci::suite::ranks {

enum class Split { table, row, column, both };
enum class Placement { balanced, in_order };

struct Piece {
  int table;
  std::int64_t row_begin, row_end;
  std::int64_t column_begin, column_end;
  int number = 0;   // among the pieces of its table
  double cost = 0;  // numbers that an iteration reads of it
  int rank = 0;

  std::int64_t rows() const { return row_end - row_begin; }
  std::int64_t columns() const { return column_end - column_begin; }
};

// By table, and within it by number. `table` leaves tables whole; `row` and `column` cut each into a piece for each
// rank; `both` into two by two, whatever the number of ranks.
std::vector<Piece> split_tables(const std::vector<std::int64_t>& rows, std::int64_t width, Split split, int ranks);

// Balanced: the costliest piece first, each to the rank that has least to do so far. In order: whole tables in equal
// counts, as they follow each other; of tables in pieces the first piece to the first rank.
void place(std::vector<Piece>& pieces, int ranks, Placement placement);

// The cost of the busiest rank by the mean.
double imbalance(const std::vector<Piece>& pieces, int ranks);

}  // namespace tbci::suite::ranks
