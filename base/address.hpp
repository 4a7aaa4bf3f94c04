// What an address of HTTP says of whom it leads to. Pure.
#pragma once

#include <string_view>

namespace tbci {

/// `https://host:port` of a URL; empty if it has no scheme or host, or contains a user.
std::string_view origin_of(std::string_view url);

/// Whether the URL uses https, or http to this machine.
bool is_safe_address(std::string_view url);

}  // namespace tbci
