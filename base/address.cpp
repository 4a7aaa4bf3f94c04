#include "base/address.hpp"

namespace tbci {

std::string_view origin_of(std::string_view url) {
  const std::size_t scheme_end = url.find("://");
  if (scheme_end == std::string_view::npos || scheme_end == 0) return {};
  const std::size_t host = scheme_end + 3;
  const std::string_view origin = url.substr(0, url.find_first_of("/?#", host));
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.:[]";
  const std::string_view authority = origin.substr(host);
  if (authority.empty() || authority.find_first_not_of(allowed) != std::string_view::npos) return {};
  return origin;
}

bool is_safe_address(std::string_view url) {
  const std::string_view origin = origin_of(url);
  if (origin.substr(0, 8) == "https://") return true;
  if (origin.substr(0, 7) != "http://") return false;
  const std::string_view authority = origin.substr(7);
  for (const std::string_view loopback : {"127.0.0.1", "localhost", "[::1]"}) {
    if (authority.substr(0, loopback.size()) != loopback) continue;
    const std::string_view rest = authority.substr(loopback.size());
    const bool port =
        rest.size() > 1 && rest[0] == ':' && rest.find_first_not_of("0123456789", 1) == std::string_view::npos;
    if (rest.empty() || port) return true;
  }
  return false;
}

}  // namespace tbci
