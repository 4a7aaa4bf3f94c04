#include "suite/ranks/loopback.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "suite/ranks/descriptor.hpp"

namespace tbci::suite::ranks {

std::string why_no_loopback() {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  ::inet_pton(AF_INET, loopback_address, &address.sin_addr);
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof address;
  const Descriptor server(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const Descriptor client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  // A connection is made by the kernel: nobody has to accept it.
  if (server.number() >= 0 && client.number() >= 0 && ::bind(server.number(), any, size) == 0 &&
      ::listen(server.number(), 1) == 0 && ::getsockname(server.number(), any, &size) == 0 &&
      ::connect(client.number(), any, size) == 0)
    return {};
  return std::string("the ranks cannot talk: there is no loopback (") + loopback_address + ": " + std::strerror(errno) +
         ")";
}

}  // namespace tbci::suite::ranks
