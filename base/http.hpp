// Outbound HTTP(S) behind an interface.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace tbci {

struct HttpRequest {
  std::string method = "GET";
  std::string url;                                           ///< http or https
  std::vector<std::pair<std::string, std::string>> headers;  ///< secrets in here never reach a log
  std::string body;
  std::chrono::milliseconds time_limit = std::chrono::seconds(30);
  std::stop_token stop = {};                ///< ends the request within a second, wherever it is
  std::filesystem::path certificates = {};  ///< of the authorities to trust, as PEM; empty: the system's
  std::string proxy = {};                   ///< as http://host:port; empty: the environment's. Never to this machine
  int redirects = 0;                        ///< how many to follow, to http and https only
  bool keeps_https = false;                 ///< and from https to https only
};

struct HttpResponse {
  int status = 0;
  std::map<std::string, std::string> headers;  ///< names in lower case
  std::string body;                            ///< at most 64 MiB, else an error
};

/// Takes a part of a body. `head` is the answer without its body. An error ends the request.
using TakePart = std::function<Status(const HttpResponse& head, std::string_view part)>;

/// Thread-safe.
class HttpClient {
 public:
  virtual ~HttpClient() = default;
  /// An error (kind transient) where no answer came, (kind interrupted) where a stop was requested; any answer with a
  /// status is a value.
  virtual Result<HttpResponse> send(const HttpRequest& request) = 0;
  /// The same with a body of any length, handed on as it comes; the answer that is returned has none. An error of
  /// `take` is returned as it is. After another error `take` may have had the beginning of the body. Ends also
  /// (transient) where nothing comes for a minute.
  virtual Result<HttpResponse> receive(const HttpRequest& request, const TakePart& take) = 0;
};

class CurlHttpClient final : public HttpClient {
 public:
  CurlHttpClient();
  Result<HttpResponse> send(const HttpRequest& request) override;
  Result<HttpResponse> receive(const HttpRequest& request, const TakePart& take) override;
};

}  // namespace tbci
