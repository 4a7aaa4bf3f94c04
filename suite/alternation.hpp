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
  // `is_short`: of this worker's iterations. Both learn it of each other: see `primes`.
  void meet(bool is_short);
  // Whether each measured iteration follows one that is not measured, as the other worker has filled the processor's
  // caches: so in both workers, if the iterations of either are short.
  bool primes() const { return primes_; }
  // Waits for this worker's turn. False where it is alone, so that nobody else ran since its last turn.
  bool take();
  // Hands the turn over. After the last one of `first`, waits until `second` has had its own.
  void give(bool last);
  // How many turns it took beside the other worker.
  int turns() const { return turns_; }

 private:
  char receive();
  void send(char byte);

  Alternate order_;
  int socket_;
  bool is_turn_ = false, primes_ = false;
  int turns_ = 0;
};

}  // namespace tbci::suite
