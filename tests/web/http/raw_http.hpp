// A client that sends the bytes it is given, and a server that runs while the test does.
#pragma once

#include <atomic>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "tests/catch.hpp"
#include "web/http/server.hpp"

namespace tbci::test {

struct Answer {
  int status = 0;
  std::string head;  ///< status line and header fields
  std::string body;
  bool has(const std::string& field) const { return head.find(field) != std::string::npos; }
};

/// All that the server says until it closes the connection; nothing where it only closes.
inline std::string exchange(std::uint16_t port, const std::string& bytes) {
  boost::asio::io_context context;
  boost::asio::ip::tcp::socket socket(context);
  socket.connect({boost::asio::ip::make_address("127.0.0.1"), port});
  boost::system::error_code error;
  boost::asio::write(socket, boost::asio::buffer(bytes), error);
  std::string all;
  boost::asio::read(socket, boost::asio::dynamic_buffer(all), error);
  return all;
}

inline Answer taken_apart(const std::string& all) {
  Answer answer;
  const auto end = all.find("\r\n\r\n");
  if (end == std::string::npos) return answer;
  answer.head = all.substr(0, end);
  answer.body = all.substr(end + 4);
  answer.status = std::stoi(answer.head.substr(9, 3));
  return answer;
}

inline Answer ask(std::uint16_t port, const std::string& bytes) {
  return taken_apart(exchange(port, bytes));
}

inline Answer get(std::uint16_t port, const std::string& target, const std::string& host = "localhost") {
  return ask(port, "GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n");
}

/// A server on a free port, run by `threads` threads until it goes.
class RunningServer {
 public:
  explicit RunningServer(web::http::Handler handler, web::http::ServerSettings settings = {}, int threads = 2) {
    settings.port = 0;
    auto started = web::http::Server::start(context_, settings, std::move(handler));
    REQUIRE(started);
    server_ = std::move(*started);
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { context_.run(); });
  }
  ~RunningServer() { stop(); }
  /// Ends only if the server leaves nothing behind in the io_context.
  void stop() {
    server_->stop();
    for (std::thread& thread : threads_) {
      if (thread.joinable()) thread.join();
    }
  }
  web::http::Server& server() { return *server_; }
  std::uint16_t port() const { return server_->port(); }

 private:
  boost::asio::io_context context_;
  std::unique_ptr<web::http::Server> server_;
  std::vector<std::thread> threads_;
};

}  // namespace tbci::test
