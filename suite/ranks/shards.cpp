#include "suite/ranks/shards.hpp"

#include <algorithm>
#include <numeric>

namespace tbci::suite::ranks {
namespace {

struct Cuts {
  int rows, columns;
};

Cuts cuts_of(Split split, int ranks) {
  switch (split) {
    case Split::row:
      return {ranks, 1};
    case Split::column:
      return {1, ranks};
    case Split::both:
      return {2, 2};
    case Split::table:
      break;
  }
  return {1, 1};
}

std::vector<double> costs_of_ranks(const std::vector<Piece>& pieces, int ranks) {
  std::vector<double> costs(static_cast<std::size_t>(ranks), 0.0);
  for (const Piece& piece : pieces) costs[static_cast<std::size_t>(piece.rank)] += piece.cost;
  return costs;
}

void place_in_order(std::vector<Piece>& pieces, int ranks) {
  const int tables = pieces.empty() ? 0 : pieces.back().table + 1;
  const bool whole = static_cast<int>(pieces.size()) == tables;
  for (Piece& piece : pieces) piece.rank = whole ? piece.table * ranks / tables : piece.number % ranks;
}

void place_balanced(std::vector<Piece>& pieces, int ranks) {
  std::vector<std::size_t> order(pieces.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return pieces[a].cost > pieces[b].cost; });
  std::vector<double> load(static_cast<std::size_t>(ranks), 0.0);
  for (const std::size_t i : order) {
    const auto least = std::min_element(load.begin(), load.end());
    *least += pieces[i].cost;
    pieces[i].rank = static_cast<int>(least - load.begin());
  }
}

}  // namespace

std::vector<Piece> split_tables(const std::vector<std::int64_t>& rows, std::int64_t width, Split split, int ranks) {
  const Cuts cuts = cuts_of(split, ranks);
  std::vector<Piece> pieces;
  for (std::size_t table = 0; table < rows.size(); ++table) {
    for (int r = 0; r < cuts.rows; ++r) {
      for (int c = 0; c < cuts.columns; ++c) {
        Piece piece{static_cast<int>(table), rows[table] * r / cuts.rows, rows[table] * (r + 1) / cuts.rows,
                    width * c / cuts.columns, width * (c + 1) / cuts.columns};
        piece.number = r * cuts.columns + c;
        pieces.push_back(piece);
      }
    }
  }
  return pieces;
}

void place(std::vector<Piece>& pieces, int ranks, Placement placement) {
  if (placement == Placement::balanced) {
    place_balanced(pieces, ranks);
  } else {
    place_in_order(pieces, ranks);
  }
}

double imbalance(const std::vector<Piece>& pieces, int ranks) {
  const std::vector<double> costs = costs_of_ranks(pieces, ranks);
  const double sum = std::accumulate(costs.begin(), costs.end(), 0.0);
  return sum > 0 ? *std::max_element(costs.begin(), costs.end()) * ranks / sum : 1.0;
}

}  // namespace tbci::suite::ranks
