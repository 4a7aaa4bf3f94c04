// Requests and answers, independent of the HTTP library.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace tbci::web::http {

struct Request {
  std::string method;                        ///< `GET` or `HEAD`
  std::string path;                          ///< decoded, begins with `/`
  std::map<std::string, std::string> query;  ///< decoded; of equal names the last one counts
  /// The parameter, or nothing if it is absent or empty.
  std::string parameter(const std::string& name) const {
    const auto found = query.find(name);
    return found == query.end() ? std::string() : found->second;
  }
};

struct Reply {
  int status = 200;
  std::string content_type = "text/html; charset=utf-8";
  std::string body;
  bool cacheable = false;  ///< only if the address changes with the content
};

/// Called on a thread that runs the io_context; must be thread-safe if several threads do. It blocks that thread, so it
/// must be quick. An exception becomes a 500.
using Handler = std::function<Reply(const Request&)>;

/// Parses a request target (`/api/night?subject=demo`). Error (usage) for one that does not begin with `/`, has a `%`
/// without two hex digits, a NUL, or more than 32 parameters.
Result<Request> parse_target(std::string_view method, std::string_view target);

/// `text` as part of a query: everything but letters, digits and `-._~` is percent-encoded.
std::string percent_encoded(std::string_view text);

/// Whether a Host header names this machine's loopback: `localhost`, `127.0.0.1` or `[::1]`, with any port (tunnels to
/// loopback have other ports). Protects against DNS rebinding: another site's name that resolves to 127.0.0.1.
bool is_loopback_host(std::string_view host);

}  // namespace tbci::web::http
