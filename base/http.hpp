// Outbound HTTP(S) behind an interface.
#pragma once

#include <chrono>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace tbci {

struct HttpRequest {
  std::string method = "GET";
  std::string url;                                           ///< http or https
  std::vector<std::pair<std::string, std::string>> headers;  ///< secrets in here never reach a log
  std::string body;
  std::chrono::milliseconds time_limit = std::chrono::seconds(30);
  std::stop_token stop = {};  ///< ends the request within a second, wherever it is
};

struct HttpResponse {
  int status = 0;
  std::map<std::string, std::string> headers;  ///< names in lower case
  std::string body;                            ///< at most 64 MiB, else an error
};

class HttpClient {
 public:
  virtual ~HttpClient() = default;
  /// An error (kind transient) where no answer came, (kind interrupted) where a stop was requested; any answer with a
  /// status is a value. Redirects are not followed to another host. Thread-safe.
  virtual Result<HttpResponse> send(const HttpRequest& request) = 0;
};

class CurlHttpClient final : public HttpClient {
 public:
  CurlHttpClient();
  Result<HttpResponse> send(const HttpRequest& request) override;
};

}  // namespace tbci
