#include "suite/alternation.hpp"

#include <sys/socket.h>

#include <cerrno>

namespace tbci::suite {

void Alternation::meet() {
  send();
  receive();
  is_turn_ = order_ == Alternate::first;
}

bool Alternation::take() {
  if (order_ == Alternate::alone) return false;
  if (!is_turn_) receive();
  is_turn_ = true;
  return order_ != Alternate::alone;
}

void Alternation::give(bool last) {
  send();
  is_turn_ = false;
  if (last && order_ == Alternate::first) receive();
}

void Alternation::receive() {
  if (order_ == Alternate::alone) return;
  char turn = 0;
  ssize_t got;
  do {
    got = ::recv(socket_, &turn, sizeof turn, 0);
  } while (got < 0 && errno == EINTR);
  if (got != static_cast<ssize_t>(sizeof turn)) order_ = Alternate::alone;
}

void Alternation::send() {
  if (order_ == Alternate::alone) return;
  const char turn = 't';
  // Without a signal: the other may have ended.
  if (::send(socket_, &turn, sizeof turn, MSG_NOSIGNAL) != static_cast<ssize_t>(sizeof turn)) order_ = Alternate::alone;
}

}  // namespace tbci::suite
