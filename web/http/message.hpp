// Requests and answers, independent of the HTTP library.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

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

/// Which Host headers a server answers, each with any port (tunnels and proxies have other ones). Protects against DNS
/// rebinding: another site's name that resolves to this machine.
struct HostRules {
  std::vector<std::string> names = {};  ///< besides `localhost`, `127.0.0.1` and `[::1]`; without a port
  bool any_address = false;             ///< also an IP address: no other site has one for its name
};
bool is_allowed_host(std::string_view host, const HostRules& rules);
/// Whether it can be such a name: letters, digits, `-` and `.`, at most 253.
bool is_host_name(std::string_view name);

}  // namespace tbci::web::http
