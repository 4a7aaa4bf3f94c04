// Two workers that iterate in turn: one measured iteration of this one, one of the other, and so on. A machine that is
// slower for a tenth of a second is then slower for both (docs/decisions/0027-pairs-by-iteration.md).
#pragma once

#include <cstdint>

namespace tbci::suite {

// Which of the two iterates first.
enum class Alternate : std::uint8_t { alone, first, second };

// This worker's side. The two share a stream socket; a byte hands over the turn. Where the other has ended, or there is
// no socket, every turn is this worker's: nothing that it measured is lost.
class Alternation {
 public:
  // `socket`: this worker's end, which stays the caller's.
  explicit Alternation(Alternate order = Alternate::alone, int socket = -1) : order_(order), socket_(socket) {}

  // Waits until both are here: what this worker does before its first measured iteration may disturb the other one's.
  void meet();
  // Waits for this worker's turn. False where it has been its turn since the last one: nobody else ran between.
  bool take();
  // Hands the turn over. After the last one of `first`, waits until `second` has had its own.
  void give(bool last);

 private:
  void receive();
  void send();

  Alternate order_;
  int socket_;
  bool is_turn_ = false;
};

}  // namespace tbci::suite
