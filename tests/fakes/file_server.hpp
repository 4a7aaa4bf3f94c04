// An HTTP client whose server has one file, and fails as a test wants.
#pragma once

#include <charconv>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "base/http.hpp"

namespace tbci::test {

class FileServer final : public HttpClient {
 public:
  explicit FileServer(std::string text) : body(std::move(text)) {}

  struct Fault {
    int status = 0;                                ///< answers this instead of the file
    std::optional<std::size_t> cut_after = {};     ///< bytes of the answer, then the connection breaks
    std::map<std::string, std::string> more = {};  ///< header fields
  };

  std::string body;
  std::string etag = "\"one\"";
  bool knows_ranges = true;
  bool names_length = true;
  std::deque<Fault> faults;                               ///< one for each request, then none
  std::vector<std::map<std::string, std::string>> asked;  ///< header fields of each request
  std::size_t sent = 0;                                   ///< bytes of the file

  Result<HttpResponse> send(const HttpRequest& request) override {
    std::string all;
    auto response = receive(request, [&](const HttpResponse&, std::string_view part) -> Status {
      all += part;
      return {};
    });
    if (response) response->body = std::move(all);
    return response;
  }

  Result<HttpResponse> receive(const HttpRequest& request, const TakePart& take) override {
    std::map<std::string, std::string> fields(request.headers.begin(), request.headers.end());
    asked.push_back(fields);
    Fault fault;
    if (!faults.empty()) {
      fault = faults.front();
      faults.pop_front();
    }
    HttpResponse head{.status = 200, .headers = std::move(fault.more), .body = {}};
    if (fault.status != 0) {
      head.status = fault.status;
      TBCI_TRY(take(head, "an error page"));
      return head;
    }
    const std::size_t begin = begin_of(fields);
    if (!etag.empty()) head.headers["etag"] = etag;
    if (begin >= body.size() && begin > 0) {
      head.status = 416;
      head.headers["content-range"] = fmt::format("bytes */{}", body.size());
      return head;
    }
    if (begin > 0) {
      head.status = 206;
      head.headers.try_emplace("content-range", fmt::format("bytes {}-{}/{}", begin, body.size() - 1, body.size()));
    }
    if (names_length) head.headers.try_emplace("content-length", std::to_string(body.size() - begin));
    return stream(std::move(head), begin, fault, take);
  }

 private:
  std::size_t begin_of(const std::map<std::string, std::string>& fields) const {
    const auto range = fields.find("Range");
    const auto same = fields.find("If-Range");
    if (!knows_ranges || range == fields.end() || (same != fields.end() && same->second != etag)) return 0;
    std::size_t begin = 0;
    const std::string& text = range->second;
    std::from_chars(text.data() + std::string_view("bytes=").size(), text.data() + text.size(), begin);
    return begin;
  }

  Result<HttpResponse> stream(HttpResponse head, std::size_t begin, const Fault& fault, const TakePart& take) {
    const std::string_view whole = std::string_view(body).substr(begin);
    const std::string_view here = whole.substr(0, fault.cut_after.value_or(whole.size()));
    constexpr std::size_t piece = 100;
    for (std::size_t at = 0; at < here.size(); at += piece) {
      sent += here.substr(at, piece).size();
      TBCI_TRY(take(head, here.substr(at, piece)));
    }
    if (fault.cut_after) return fail(ErrorKind::transient, "GET {}: the connection broke", "http://index/file");
    return head;
  }
};

}  // namespace tbci::test
