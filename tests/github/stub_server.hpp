// A miniature of GitHub's REST API for issues on loopback, as strict about its input as GitHub. It can simulate
// failures. Its thread ends with the object.
#pragma once

#include <algorithm>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace tbci::test {

/// An answer other than the normal one.
struct Trouble {
  int status = 500;  ///< 0: the connection is closed without an answer
  std::map<std::string, std::string> headers = {};
  std::string body = R"({"message": "no luck"})";
  bool after_work = false;  ///< the request is carried out before the trouble begins
};

class StubServer {
 public:
  struct Seen {
    std::string method, target, body;
    std::map<std::string, std::string> headers;  ///< names in lower case
  };

  explicit StubServer(std::string token) : token_(std::move(token)), acceptor_(context_, loopback()) {
    port_ = acceptor_.local_endpoint().port();
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

  /// The next request with this `method` gets this answer; later ones get the normal one.
  void answer_next(const std::string& method, Trouble trouble) {
    const std::lock_guard lock(mutex_);
    troubles_.emplace(method, std::move(trouble));
  }
  /// Adds an existing issue.
  void add_issue(const std::string& title, const std::string& body, const std::string& state = "open",
                 bool pull_request = false) {
    const std::lock_guard lock(mutex_);
    nlohmann::json issue = make_issue({{"title", title}, {"body", body}, {"labels", {"tbci"}}});
    issue["state"] = state;
    if (pull_request) issue["pull_request"] = nlohmann::json::object();
    issues_.insert(issues_.begin(), issue);
  }
  /// Issues per page, independent of the request: gives several pages without hundreds of issues.
  void set_page_size(std::size_t size) {
    const std::lock_guard lock(mutex_);
    page_size_ = size;
  }
  /// The target of `Link` headers; default: this server.
  void set_link_origin(const std::string& origin) {
    const std::lock_guard lock(mutex_);
    link_origin_ = origin;
  }
  std::vector<nlohmann::json> issues() const {
    const std::lock_guard lock(mutex_);
    return issues_;
  }
  /// Texts of the comments on an issue.
  std::vector<std::string> comments_on(int number) const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> texts;
    const auto found = comments_.find(std::to_string(number));
    if (found == comments_.end()) return texts;
    for (const nlohmann::json& comment : found->second) texts.push_back(comment.at("body"));
    return texts;
  }
  std::vector<Seen> seen() const {
    const std::lock_guard lock(mutex_);
    return seen_;
  }
  std::size_t count(const std::string& method) const {
    std::size_t number = 0;
    for (const Seen& one : seen()) number += one.method == method ? 1 : 0;
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
      Request request;
      boost::beast::http::read(socket, buffer, request, error);
      if (error) continue;
      const std::lock_guard lock(mutex_);
      remember(request);
      std::optional<Response> response = handle(request);
      if (!response) continue;  // closes the connection
      response->keep_alive(false);
      response->prepare_payload();
      boost::beast::http::write(socket, *response, error);
      socket.shutdown(boost::asio::ip::tcp::socket::shutdown_both, error);
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

  std::optional<Response> handle(const Request& request) {
    const auto found = troubles_.find(std::string(request.method_string()));
    if (found == troubles_.end()) return ordinary();
    const Trouble trouble = found->second;
    troubles_.erase(found);
    if (trouble.after_work) ordinary();
    if (trouble.status == 0) return std::nullopt;
    Response response = answer(trouble.status, trouble.body);
    for (const auto& [name, value] : trouble.headers) response.set(name, value);
    return response;
  }

  Response ordinary() {
    const Seen& seen = seen_.back();
    const auto header = [&](const char* name) {
      const auto at = seen.headers.find(name);
      return at == seen.headers.end() ? std::string() : at->second;
    };
    if (header("authorization") != "Bearer " + token_) return answer(401, R"({"message": "Bad credentials"})");
    if (header("accept") != "application/vnd.github+json" || header("x-github-api-version") != "2022-11-28" ||
        header("user-agent").empty()) {
      return answer(400, R"({"message": "headers"})");
    }
    const std::string path = seen.target.substr(0, seen.target.find('?'));
    if (path.ends_with("/comments")) return comments(seen, path);
    if (path != "/repos/octo/demo/issues") return answer(404, R"({"message": "Not Found"})");
    if (seen.method == "GET") return list(seen.target);
    if (seen.method == "POST") return create(seen.body);
    return answer(405, R"({"message": "Method"})");
  }

  Response list(const std::string& target) {
    const auto has = [&](const std::string& part) { return target.find(part) != std::string::npos; };
    if (!has("labels=tbci") || !has("state=all")) return answer(400, R"({"message": "query"})");
    std::size_t page = 1;
    if (const auto at = target.find("&page="); at != std::string::npos) page = std::stoul(target.substr(at + 6));
    nlohmann::json found = nlohmann::json::array();
    for (std::size_t i = (page - 1) * page_size_; i < std::min(issues_.size(), page * page_size_); ++i) {
      found.push_back(issues_[i]);
    }
    Response response = answer(200, found.dump());
    if (page * page_size_ < issues_.size()) {
      const std::string base = (link_origin_.empty() ? url() : link_origin_) + "/repos/octo/demo/issues?labels=tbci";
      const std::string last = std::to_string((issues_.size() + page_size_ - 1) / page_size_);
      response.set("Link", "<" + base + "&state=all&per_page=100&page=" + last + ">; rel=\"last\", <" + base +
                               "&state=all&per_page=100&page=" + std::to_string(page + 1) + ">; rel=\"next\"");
    }
    return response;
  }

  // Of one issue: /repos/octo/demo/issues/NUMBER/comments.
  Response comments(const Seen& seen, const std::string& path) {
    const std::string begin = "/repos/octo/demo/issues/", end = "/comments";
    const std::string number = path.substr(begin.size(), path.size() - begin.size() - end.size());
    const auto issue = std::find_if(issues_.begin(), issues_.end(), [&](const nlohmann::json& one) {
      return std::to_string(one.at("number").get<int>()) == number;
    });
    if (!path.starts_with(begin) || issue == issues_.end()) return answer(404, R"({"message": "Not Found"})");
    nlohmann::json& all = comments_[number];
    if (all.is_null()) all = nlohmann::json::array();
    if (seen.method == "GET") return answer(200, all.dump());
    const nlohmann::json comment = nlohmann::json::parse(seen.body, nullptr, false);
    if (!comment.is_object() || !comment.contains("body") || !comment["body"].is_string() ||
        comment["body"].get<std::string>().empty() || comment["body"].get<std::string>().size() > 65'536) {
      return answer(422, R"({"message": "Validation Failed"})");
    }
    all.push_back({{"id", all.size() + 1}, {"body", comment["body"]}});
    return answer(201, all.back().dump());
  }

  // GitHub's own rules for a new issue.
  Response create(const std::string& body) {
    const nlohmann::json issue = nlohmann::json::parse(body, nullptr, false);
    if (!issue.is_object()) return answer(400, R"({"message": "Problems parsing JSON"})");
    const auto invalid = [](const std::string& field, const std::string& code) {
      return answer(422, nlohmann::json{{"message", "Validation Failed"},
                                        {"errors", {{{"resource", "Issue"}, {"field", field}, {"code", code}}}}}
                             .dump());
    };
    if (!issue.contains("title") || !issue["title"].is_string() || issue["title"].get<std::string>().empty()) {
      return invalid("title", "missing_field");
    }
    if (issue["title"].get<std::string>().size() > 256) return invalid("title", "too_long");
    if (issue.contains("body") && !issue["body"].is_string()) return invalid("body", "invalid");
    if (issue.value("body", "").size() > 65'536) return invalid("body", "too_long");
    for (const nlohmann::json& label : issue.value("labels", nlohmann::json::array())) {
      if (!label.is_string()) return invalid("labels", "invalid");
    }
    issues_.insert(issues_.begin(), make_issue(issue));
    return answer(201, issues_.front().dump());
  }

  nlohmann::json make_issue(const nlohmann::json& from) {
    const int number = ++last_number_;
    nlohmann::json labels = nlohmann::json::array();
    for (const auto& label : from.value("labels", nlohmann::json::array())) labels.push_back({{"name", label}});
    return {{"number", number},          {"html_url", "https://github.com/octo/demo/issues/" + std::to_string(number)},
            {"title", from.at("title")}, {"body", from.value("body", "")},
            {"state", "open"},           {"labels", labels}};
  }

  static Response answer(int status, const std::string& body) {
    Response response(static_cast<boost::beast::http::status>(status), 11);
    response.set("Content-Type", "application/json; charset=utf-8");
    response.body() = body;
    return response;
  }

  std::string token_;
  boost::asio::io_context context_;
  boost::asio::ip::tcp::acceptor acceptor_;
  unsigned short port_ = 0;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;

  mutable std::mutex mutex_;  // guards what follows
  std::multimap<std::string, Trouble> troubles_;
  std::vector<nlohmann::json> issues_;              // newest first, as GitHub lists them
  std::map<std::string, nlohmann::json> comments_;  // by the issue's number, the oldest first
  std::vector<Seen> seen_;
  std::size_t page_size_ = 100;
  std::string link_origin_;
  int last_number_ = 0;
};

}  // namespace tbci::test
