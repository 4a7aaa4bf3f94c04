#include "suite/ranks/channel.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "suite/ranks/shared_page.hpp"

namespace tbci::suite::ranks {
namespace {

constexpr std::size_t longest_message = 64 * 1024;
constexpr std::size_t head_of_answer = 1 + sizeof(std::int64_t);  // the reply and its time

ssize_t receive_whole(int descriptor, char* into, std::size_t size, int flags) {
  ssize_t length;
  do {
    length = ::recv(descriptor, into, size, flags);
  } while (length < 0 && errno == EINTR);
  return length;
}

}  // namespace

std::pair<Channel, Channel> Channel::pair() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    throw std::runtime_error(std::string("no channel to a rank: ") + std::strerror(errno));
  return {Channel(Descriptor(ends[0])), Channel(Descriptor(ends[1]))};
}

bool Channel::send(const std::string& message) {
  const std::size_t length = std::min(message.size(), longest_message);
  return ::send(descriptor_.number(), message.data(), length, MSG_NOSIGNAL) == static_cast<ssize_t>(length);
}

bool Channel::ask(Ask what) {
  return send(std::string(1, static_cast<char>(what)));
}

bool Channel::answer(Reply reply, const std::string& text) {
  std::string message(head_of_answer, static_cast<char>(reply));
  const std::int64_t now = clock_nanoseconds();
  std::memcpy(&message[1], &now, sizeof now);
  return send(message + text);
}

std::optional<Ask> Channel::next_ask() {
  char what = 0;
  if (receive_whole(descriptor_.number(), &what, 1, 0) != 1) return std::nullopt;
  return static_cast<Ask>(what);
}

std::optional<Answer> Channel::next_answer() {
  std::vector<char> message(longest_message);
  const ssize_t length = receive_whole(descriptor_.number(), message.data(), message.size(), MSG_DONTWAIT);
  if (length < static_cast<ssize_t>(head_of_answer)) return std::nullopt;
  Answer answer;
  answer.reply = static_cast<Reply>(message[0]);
  std::memcpy(&answer.time, &message[1], sizeof answer.time);
  answer.text.assign(message.begin() + head_of_answer, message.begin() + length);
  return answer;
}

}  // namespace tbci::suite::ranks
