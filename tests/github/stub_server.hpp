// A miniature of GitHub's REST API for issues on loopback. It can simulate failures. Its thread ends with the object.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <functional>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/github/stub_github.hpp"

namespace tbci::test {

/// An answer other than the normal one.
struct Trouble {
  int status = 500;  ///< 0: the connection is closed without an answer
  std::map<std::string, std::string> headers = {};
  std::string body = R"({"message": "no luck"})";
  bool after_work = false;  ///< the request is carried out before the trouble begins
  bool hangs = false;       ///< no answer comes while the server lives
  bool trickles = false;    ///< the body comes a byte at a time, and never to its end
};

class StubServer {
 public:
  explicit StubServer(const std::string& token) : acceptor_(context_, loopback()) {
    port_ = acceptor_.local_endpoint().port();
    github_.tokens = {token};
    github_.server = url();
    thread_ = std::thread([this] { serve(); });
  }
  ~StubServer() {
    stopping_ = true;
    boost::system::error_code ignored;
    boost::asio::ip::tcp::socket waker(context_);
    waker.connect({boost::asio::ip::address_v4::loopback(), port_}, ignored);
    thread_.join();
  }
  StubServer(const StubServer&) = delete;
  StubServer& operator=(const StubServer&) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

  /// What the server keeps, to be read or changed.
  template <typename Work>
  auto with(const Work& work) {
    const std::lock_guard lock(mutex_);
    return work(github_);
  }
  /// The next request with this `method` gets this answer; later ones get the normal one.
  void answer_next(const std::string& method, Trouble trouble) {
    const std::lock_guard lock(mutex_);
    troubles_.emplace(method, std::move(trouble));
  }
  /// Adds an existing issue.
  void add_issue(const std::string& title, const std::string& body, const std::string& state = "open",
                 bool pull_request = false) {
    with([&](StubGithub& github) {
      nlohmann::json issue = github.make_issue({{"title", title}, {"body", body}, {"labels", {"tbci"}}});
      issue["state"] = state;
      if (pull_request) issue["pull_request"] = nlohmann::json::object();
      github.issues.insert(github.issues.begin(), issue);
    });
  }
  void set_page_size(std::size_t size) {
    with([&](StubGithub& github) { github.page_size = size; });
  }
  void set_link_origin(const std::string& origin) {
    with([&](StubGithub& github) { github.link_origin = origin; });
  }
  std::vector<nlohmann::json> issues() const {
    const std::lock_guard lock(mutex_);
    return github_.issues;
  }
  /// Texts of the comments on an issue.
  std::vector<std::string> comments_on(int number) const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> texts;
    const auto found = github_.comments.find(number);
    if (found == github_.comments.end()) return texts;
    for (const nlohmann::json& comment : found->second) texts.push_back(comment.at("body"));
    return texts;
  }
  std::vector<Seen> seen() const {
    const std::lock_guard lock(mutex_);
    return seen_;
  }
  std::size_t count(const std::string& method, const std::string& part_of_target = "") const {
    std::size_t number = 0;
    for (const Seen& one : seen()) {
      number += one.method == method && one.target.find(part_of_target) != std::string::npos ? 1 : 0;
    }
    return number;
  }

 private:
  using Request = boost::beast::http::request<boost::beast::http::string_body>;
  using Response = boost::beast::http::response<boost::beast::http::string_body>;

  static boost::asio::ip::tcp::endpoint loopback() { return {boost::asio::ip::address_v4::loopback(), 0}; }

  void serve() {
    while (true) {
      boost::system::error_code error;
      boost::asio::ip::tcp::socket socket(context_);
      acceptor_.accept(socket, error);
      if (stopping_) return;
      if (error) continue;
      boost::beast::flat_buffer buffer;
      boost::beast::http::request_parser<boost::beast::http::string_body> parser;
      boost::beast::http::read(socket, buffer, parser, error);
      if (!error) answer(socket, parser.get());
    }
  }

  void answer(boost::asio::ip::tcp::socket& socket, const Request& request) {
    boost::system::error_code error;
    bool hangs = false, trickles = false;
    std::optional<StubAnswer> made;
    {
      const std::lock_guard lock(mutex_);
      remember(request);
      made = handle(seen_.back(), hangs, trickles);
    }
    if (trickles) return trickle(socket);
    while (hangs && !stopping_) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    if (!made) return;  // closes the connection
    Response response(static_cast<boost::beast::http::status>(made->status), 11);
    response.set("Content-Type", "application/json; charset=utf-8");
    for (const auto& [name, value] : made->headers) response.set(name, value);
    response.body() = made->body;
    response.keep_alive(false);
    response.prepare_payload();
    boost::beast::http::write(socket, response, error);
    socket.shutdown(boost::asio::ip::tcp::socket::shutdown_both, error);
  }

  // Until the client has had enough.
  void trickle(boost::asio::ip::tcp::socket& socket) {
    boost::system::error_code error;
    boost::asio::write(
        socket, boost::asio::buffer(std::string("HTTP/1.1 201 Created\r\nContent-Length: 100000\r\n\r\n")), error);
    while (!error && !stopping_) {
      boost::asio::write(socket, boost::asio::buffer(" ", 1), error);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

  void remember(const Request& request) {
    Seen one{std::string(request.method_string()), std::string(request.target()), request.body(), {}};
    for (const auto& field : request) {
      std::string name(field.name_string());
      for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      one.headers[name] = std::string(field.value());
    }
    seen_.push_back(std::move(one));
  }

  std::optional<StubAnswer> handle(const Seen& seen, bool& hangs, bool& trickles) {
    const auto found = troubles_.find(seen.method);
    if (found == troubles_.end()) return github_.handle(seen);
    const Trouble trouble = found->second;
    troubles_.erase(found);
    if (trouble.after_work) github_.handle(seen);
    hangs = trouble.hangs;
    trickles = trouble.trickles;
    if (trouble.status == 0 || hangs) return std::nullopt;
    return StubAnswer{trouble.status, trouble.body, trouble.headers};
  }

  boost::asio::io_context context_;
  boost::asio::ip::tcp::acceptor acceptor_;
  unsigned short port_ = 0;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;

  mutable std::mutex mutex_;  // guards what follows
  std::multimap<std::string, Trouble> troubles_;
  StubGithub github_;
  std::vector<Seen> seen_;
};

}  // namespace tbci::test
