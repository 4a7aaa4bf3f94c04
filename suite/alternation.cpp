#include "suite/alternation.hpp"

#include <sys/socket.h>

#include <cerrno>

namespace tbci::suite {

namespace {

constexpr char turn = 't', short_ones = 's', long_ones = 'l';

}  // namespace

void Alternation::meet(bool is_short) {
  send(is_short ? short_ones : long_ones);
  const char other = receive();
  primes_ = is_short || other == short_ones;
  is_turn_ = order_ == Alternate::first;
}

bool Alternation::take() {
  if (!is_turn_) receive();
  is_turn_ = true;
  if (order_ == Alternate::alone) return false;
  ++turns_;
  return true;
}

void Alternation::give(bool last) {
  send(turn);
  is_turn_ = false;
  if (last && order_ == Alternate::first) receive();
}

char Alternation::receive() {
  char byte = 0;
  if (order_ == Alternate::alone) return byte;
  ssize_t got;
  do {
    got = ::recv(socket_, &byte, sizeof byte, 0);
  } while (got < 0 && errno == EINTR);
  if (got != static_cast<ssize_t>(sizeof byte)) order_ = Alternate::alone;
  return byte;
}

void Alternation::send(char byte) {
  if (order_ == Alternate::alone) return;
  // Without a signal: the other may have ended.
  if (::send(socket_, &byte, sizeof byte, MSG_NOSIGNAL) != static_cast<ssize_t>(sizeof byte)) order_ = Alternate::alone;
}

}  // namespace tbci::suite
