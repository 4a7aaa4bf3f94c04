// Messages between the first rank and another one, apart from what the model's ranks exchange.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "suite/ranks/descriptor.hpp"

namespace tbci::suite::ranks {

// What the first rank asks for. Each is answered once: by `done` with what was asked for, or by a failure.
enum class Ask : char { connect = 'c', iterate = 'i', restart_evidence = 'r', evidence = 'e' };

enum class Reply : char { ready = 'b', done = 'd', unsupported = 'u', failed = 'x' };

struct Answer {
  Reply reply = Reply::failed;
  std::int64_t time = 0;  // when it was sent
  std::string text;
};

// An end of a pair of sockets that keeps messages whole.
class Channel {
 public:
  explicit Channel(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}

  static std::pair<Channel, Channel> pair();  // throws std::runtime_error

  int descriptor() const { return descriptor_.number(); }
  void close() { descriptor_.close(); }

  // False where nobody is at the other end.
  bool ask(Ask what);
  bool answer(Reply reply, const std::string& text);

  // Waits. Nothing where nobody is at the other end any more.
  std::optional<Ask> next_ask();

  // Without waiting. Nothing where there is none.
  std::optional<Answer> next_answer();

 private:
  bool send(const std::string& message);

  Descriptor descriptor_;
};

}  // namespace tbci::suite::ranks
