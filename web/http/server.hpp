// The HTTP server of the service: small, read-only, and by default reachable only from this machine.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "web/http/message.hpp"

namespace boost::asio {
class io_context;
}

namespace tbci::web::http {

struct ServerSettings {
  std::string address = "127.0.0.1";  ///< an IP address
  std::uint16_t port = 8717;          ///< 0: any free port
  /// Required for any address that other machines can reach, because the page has no passwords.
  bool allow_other_machines = false;
  std::vector<std::string> names = {};  ///< of this machine, by which browsers may ask for it: see HostRules
  std::size_t header_limit_bytes = std::size_t{8} * 1024;
  std::size_t connection_limit = 64;                                ///< more connections are closed at once
  std::chrono::milliseconds time_limit = std::chrono::seconds(10);  ///< to receive a request, or to send an answer
};

/// Answers GET and HEAD (405 to others, 413 to any body) until stopped. Refuses a Host header that names neither
/// loopback nor one of the names (421); an IP address is allowed where other machines are.
class Server {
 public:
  /// Listens. Serves while `context` runs (in one thread or several). Errors: usage for an address that is invalid or
  /// needs `allow_other_machines`; environment if the port is taken.
  static Result<std::unique_ptr<Server>> start(boost::asio::io_context& context, const ServerSettings& settings,
                                               Handler handler);
  ~Server();  ///< stops
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::uint16_t port() const;  ///< the port in use
  std::string url() const;     ///< `http://127.0.0.1:8717/`
  /// Closes everything. When this returns, no handler runs, and none will run. May be called from any thread, but not
  /// from a handler. Only clean-up is left in `context`, so its run() ends.
  void stop();

 private:
  class Implementation;
  explicit Server(std::shared_ptr<Implementation> implementation);
  std::shared_ptr<Implementation> implementation_;
};

}  // namespace tbci::web::http
