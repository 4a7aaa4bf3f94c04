// What a request asks and what is answered, free of the library that carries it.
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
  std::map<std::string, std::string> query;  ///< decoded; the last of equal names counts
  /// The parameter, or nothing where it is absent or empty.
  std::string parameter(const std::string& name) const {
    const auto found = query.find(name);
    return found == query.end() ? std::string() : found->second;
  }
};

struct Reply {
  int status = 200;
  std::string content_type = "text/html; charset=utf-8";
  std::string body;
  bool cacheable = false;  ///< true only for what its address changes with
};

/// Called on a thread that runs the io_context; must be thread-safe where several do. Must be quick: it holds that
/// thread. What it throws becomes a 500.
using Handler = std::function<Reply(const Request&)>;

/// Takes a request target (`/api/night?subject=demo`) apart. An error (kind usage) where it is not of that form: not
/// from `/`, a `%` without two hex digits, a NUL, or more than 32 parameters.
Result<Request> parse_target(std::string_view method, std::string_view target);

/// `text` as a part of a query: everything but letters, digits and `-._~` percent-encoded.
std::string percent_encoded(std::string_view text);

/// Whether a Host header names this machine's loopback: `localhost`, `127.0.0.1` or `[::1]`, with any port (a page on
/// loopback is reached through tunnels that have ports of their own). Keeps web pages of other names, rebound to
/// 127.0.0.1, from reading ours.
bool is_loopback_host(std::string_view host);

}  // namespace tbci::web::http
