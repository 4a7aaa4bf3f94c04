#include "base/http.hpp"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

#include "tests/catch.hpp"
#include "tests/environment_variable.hpp"

namespace tbci::http_test {

using namespace std::chrono_literals;

namespace {

// Accepts connections and never answers.
class SilentServer {
 public:
  SilentServer() : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(::bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    REQUIRE(::listen(socket_, 8) == 0);
    socklen_t size = sizeof address;
    REQUIRE(::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    port_ = ntohs(address.sin_port);
  }
  ~SilentServer() { ::close(socket_); }
  SilentServer(const SilentServer&) = delete;
  SilentServer& operator=(const SilentServer&) = delete;
  std::string url() const { return fmt::format("http://127.0.0.1:{}/", port_); }
  bool was_asked() const {
    pollfd waiting{socket_, POLLIN, 0};
    return ::poll(&waiting, 1, 0) == 1;
  }

 private:
  int socket_;
  int port_ = 0;
};

}  // namespace

TEST_CASE("HTTP: a stop ends a request that waits for its answer", "[http]") {
  const SilentServer server;
  CurlHttpClient client;
  std::stop_source stop;
  HttpRequest request;
  request.url = server.url();
  request.time_limit = 60s;
  request.stop = stop.get_token();
  const auto begun = std::chrono::steady_clock::now();
  const std::jthread stopper([&] {
    std::this_thread::sleep_for(200ms);
    stop.request_stop();
  });
  const auto response = client.send(request);
  REQUIRE_FALSE(response);
  CHECK(response.error().kind == ErrorKind::interrupted);
  CHECK(std::chrono::steady_clock::now() - begun < 5s);
}

TEST_CASE("HTTP: without an answer in time it may be tried again", "[http]") {
  const SilentServer server;
  CurlHttpClient client;
  HttpRequest request;
  request.url = server.url();
  request.time_limit = 100ms;
  const auto response = client.send(request);
  REQUIRE_FALSE(response);
  CHECK(response.error().kind == ErrorKind::transient);
}

TEST_CASE("HTTP: a proxy is asked for other machines and never for this one", "[http]") {
  const SilentServer server, proxy;
  const test::EnvironmentVariable lower("http_proxy", proxy.url()), exceptions("no_proxy", "exempt.invalid");
  CurlHttpClient client;
  HttpRequest request;
  request.url = server.url();
  request.time_limit = 300ms;
  CHECK_FALSE(client.send(request));
  CHECK(server.was_asked());
  request.proxy = proxy.url();
  CHECK_FALSE(client.send(request));
  CHECK_FALSE(proxy.was_asked());

  request.url = "http://exempt.invalid/";  // the environment's exceptions still hold
  CHECK_FALSE(client.send(request));
  CHECK_FALSE(proxy.was_asked());
  request.url = "http://host.invalid/";
  request.time_limit = 300ms;
  CHECK_FALSE(client.send(request));
  CHECK(proxy.was_asked());
}

}  // namespace tbci::http_test
