#include "suite/ranks/seat.hpp"

#include <utility>

namespace tbci::suite::ranks {
namespace {

std::optional<Seat>& taken_seat() {
  static std::optional<Seat> seat;
  return seat;
}

}  // namespace

const std::optional<Seat>& seat_of_this_process() {
  return taken_seat();
}

void take_seat(Seat seat) {
  taken_seat() = std::move(seat);
}

}  // namespace tbci::suite::ranks
