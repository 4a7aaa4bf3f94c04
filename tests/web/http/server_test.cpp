#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <stdexcept>

#include "tests/catch.hpp"
#include "tests/web/http/raw_http.hpp"
#include "web/http/server.hpp"

namespace tbci::server_test {

using namespace tbci::test;
using web::http::Reply;
using web::http::Request;
using web::http::Server;
using web::http::ServerSettings;

namespace {

Reply echo(const Request& request) {
  return {200, "text/plain; charset=utf-8", request.method + " " + request.path + " " + request.parameter("x"), false};
}

}  // namespace

TEST_CASE("Server: answers GET with the handler's reply and the headers that keep a page safe", "[http]") {
  RunningServer server(echo);
  const Answer answer = get(server.port(), "/some%20where?x=%3Cb%3E");
  CHECK(answer.status == 200);
  CHECK(answer.body == "GET /some where <b>");
  CHECK(answer.has("Content-Type: text/plain; charset=utf-8"));
  CHECK(answer.has("Content-Security-Policy: default-src 'none'; style-src 'self'; script-src 'self'"));
  CHECK(answer.has("frame-ancestors 'none'"));
  CHECK_FALSE(answer.has("unsafe"));
  CHECK(answer.has("X-Content-Type-Options: nosniff"));
  CHECK(answer.has("X-Frame-Options: DENY"));
  CHECK(answer.has("Referrer-Policy: no-referrer"));
  CHECK(answer.has("Cache-Control: no-store"));
  CHECK(server.server().url() == "http://127.0.0.1:" + std::to_string(server.port()) + "/");
}

TEST_CASE("Server: HEAD has GET's length and no body", "[http]") {
  RunningServer server(echo);
  const Answer answer = ask(server.port(), "HEAD /abc HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  CHECK(answer.status == 200);
  CHECK(answer.has("Content-Length: 10"));
  CHECK(answer.body.empty());
}

TEST_CASE("Server: several requests go over one connection", "[http]") {
  RunningServer server(echo);
  const std::string all = exchange(server.port(),
                                   "GET /one HTTP/1.1\r\nHost: localhost\r\n\r\n"
                                   "GET /two HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  CHECK(all.find("GET /one ") != std::string::npos);
  CHECK(all.find("GET /two ") != std::string::npos);
}

TEST_CASE("Server: other methods are refused and reach no handler", "[http]") {
  std::atomic<int> calls = 0;
  RunningServer server([&](const Request& request) {
    ++calls;
    return echo(request);
  });
  for (const std::string method : {"POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT", "BREW", "get"}) {
    INFO(method);
    const Answer answer = ask(server.port(), method + " / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}");
    CHECK(answer.status == 405);
    CHECK(answer.has("Allow: GET, HEAD"));
  }
  // A body far over what is kept, so that the answer arrives although the body is not read.
  const Answer large = ask(
      server.port(), "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n" + std::string(100000, 'x'));
  CHECK(large.status == 405);
  CHECK(calls == 0);
}

TEST_CASE("Server: a request with a body is refused", "[http]") {
  RunningServer server(echo);
  CHECK(ask(server.port(), "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc").status == 413);
  CHECK(ask(server.port(), "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n").status == 413);
  CHECK(ask(server.port(), "GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n").status ==
        413);
}

TEST_CASE("Server: a Host header of another name is refused", "[http]") {
  RunningServer server(echo);
  CHECK(get(server.port(), "/", "evil.example").status == 421);
  CHECK(get(server.port(), "/", "localhost.evil.example:" + std::to_string(server.port())).status == 421);
  CHECK(get(server.port(), "/", "127.0.0.1:" + std::to_string(server.port())).status == 200);
  CHECK(get(server.port(), "/", "[::1]:" + std::to_string(server.port())).status == 200);
  CHECK(ask(server.port(), "GET / HTTP/1.1\r\nConnection: close\r\n\r\n").status == 400);
  CHECK(ask(server.port(), "GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n")
            .status == 400);
  CHECK(ask(server.port(), "GET / HTTP/1.0\r\n\r\n").status == 421);
}

TEST_CASE("Server: where other machines may ask, a Host header is checked as well", "[http]") {
  ServerSettings settings;
  settings.address = "0.0.0.0";
  settings.allow_other_machines = true;
  settings.names = {"ci.example.org"};
  RunningServer server(echo, settings);
  for (const char* host : {"evil.example", "localhost.evil.example", "127.0.0.1.evil.example"})
    CHECK(get(server.port(), "/", host).status == 421);
  for (const char* host : {"ci.example.org", "ci.example.org:443", "127.0.0.1:8712", "10.0.0.7", "localhost"})
    CHECK(get(server.port(), "/", host).status == 200);
}

TEST_CASE("Server: on loopback the address of another machine is refused, a configured name is not", "[http]") {
  ServerSettings settings;
  settings.names = {"ci.example.org"};
  RunningServer server(echo, settings);
  CHECK(get(server.port(), "/", "10.0.0.7").status == 421);
  CHECK(get(server.port(), "/", "ci.example.org").status == 200);
}

TEST_CASE("Server: what is not HTTP, or too long, is refused", "[http]") {
  RunningServer server(echo);
  CHECK(ask(server.port(), "hello there\r\n\r\n").status == 400);
  CHECK(ask(server.port(), "GET / HTTP/1.1\r\nbroken\r\n\r\n").status == 400);
  CHECK(ask(server.port(), "GET /?a=%zz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").status == 400);
  const std::string long_field = "X-Long: " + std::string(20000, 'x') + "\r\n";
  CHECK(ask(server.port(), "GET / HTTP/1.1\r\nHost: localhost\r\n" + long_field + "\r\n").status == 431);
  CHECK(ask(server.port(), "GET /" + std::string(20000, 'x') + " HTTP/1.1\r\nHost: localhost\r\n\r\n").status == 431);
}

TEST_CASE("Server: a handler that throws costs its own request alone", "[http]") {
  RunningServer server([](const Request& request) -> Reply {
    if (request.path == "/throw") throw std::runtime_error("secret detail");
    return echo(request);
  });
  const Answer failed = get(server.port(), "/throw");
  CHECK(failed.status == 500);
  CHECK(failed.body.find("secret") == std::string::npos);
  CHECK(get(server.port(), "/fine").status == 200);
}

TEST_CASE("Server: a client that sends nothing, or half a request, is let go", "[http]") {
  ServerSettings settings;
  settings.time_limit = std::chrono::milliseconds(100);
  RunningServer server(echo, settings);
  CHECK(exchange(server.port(), "").empty());
  CHECK(exchange(server.port(), "GET / HTTP/1.1\r\nHost: loc").empty());
  CHECK(get(server.port(), "/").status == 200);
}

TEST_CASE("Server: connections over the limit are closed, and there is room again when others go", "[http]") {
  ServerSettings settings;
  settings.connection_limit = 2;
  RunningServer server(echo, settings);
  using boost::asio::ip::tcp;
  boost::asio::io_context context;
  const tcp::endpoint endpoint(boost::asio::ip::make_address("127.0.0.1"), server.port());
  const std::string request = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
  std::vector<tcp::socket> held;
  for (int i = 0; i < 2; ++i) {
    held.emplace_back(context).connect(endpoint);
    boost::asio::write(held.back(), boost::asio::buffer(request));
    std::array<char, 12> begin{};
    boost::asio::read(held.back(), boost::asio::buffer(begin));  // answered: so it is counted
    CHECK(std::string(begin.data(), begin.size()) == "HTTP/1.1 200");
  }
  CHECK(exchange(server.port(), request).empty());
  held.clear();
  Answer answer;
  while (answer.status != 200) answer = get(server.port(), "/");  // until the server has seen them go
  CHECK(answer.status == 200);
}

TEST_CASE("Server: stops with connections open, calls no handler afterwards, and leaves the context empty", "[http]") {
  std::atomic<int> calls = 0;
  RunningServer server([&](const Request& request) {
    ++calls;
    return echo(request);
  });
  boost::asio::io_context context;
  boost::asio::ip::tcp::socket idle(context);
  idle.connect({boost::asio::ip::make_address("127.0.0.1"), server.port()});
  CHECK(get(server.port(), "/").status == 200);
  server.stop();  // returns only if run() ends
  CHECK(calls == 1);
  boost::system::error_code error;
  boost::asio::ip::tcp::socket late(context);
  late.connect({boost::asio::ip::make_address("127.0.0.1"), server.port()}, error);
  CHECK(error);
}

TEST_CASE("Server: stop waits for the handler that runs", "[http]") {
  std::mutex mutex;
  std::condition_variable changed;
  bool entered = false, released = false, left = false;
  RunningServer server([&](const Request& request) {
    std::unique_lock lock(mutex);
    entered = true;
    changed.notify_all();
    changed.wait(lock, [&] { return released; });
    left = true;
    return echo(request);
  });
  std::thread client([&] { exchange(server.port(), "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"); });
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return entered; });
  }
  std::thread stopper([&] {
    server.server().stop();
    const std::lock_guard lock(mutex);
    CHECK(left);
  });
  {
    const std::lock_guard lock(mutex);
    released = true;
  }
  changed.notify_all();
  stopper.join();
  client.join();
}

TEST_CASE("Server: addresses that others reach have to be allowed, and a taken port is said", "[http]") {
  boost::asio::io_context context;
  const auto refused = [&](const std::string& address, std::uint16_t port) {
    ServerSettings settings;
    settings.address = address;
    settings.port = port;
    const auto server = Server::start(context, settings, echo);
    REQUIRE_FALSE(server);
    return server.error();
  };
  CHECK(refused("0.0.0.0", 0).kind == ErrorKind::usage);
  CHECK(refused("::", 0).kind == ErrorKind::usage);
  CHECK(refused("example.org", 0).kind == ErrorKind::usage);
  ServerSettings named;
  named.port = 0;
  named.names = {"https://ci.example.org/"};
  const auto odd = Server::start(context, named, echo);
  REQUIRE_FALSE(odd);
  CHECK(odd.error().message.find("is not the name of a host") != std::string::npos);
  ServerSettings open;
  open.address = "0.0.0.0";
  open.port = 0;
  open.allow_other_machines = true;
  CHECK(Server::start(context, open, echo));
  RunningServer running(echo);
  const Error taken = refused("127.0.0.1", running.port());
  CHECK(taken.kind == ErrorKind::machine);
  CHECK(taken.message.find(std::to_string(running.port())) != std::string::npos);
}

}  // namespace tbci::server_test
