// Signs what tbci sends, so that the receiver knows who sent it.
#pragma once

#include <string>
#include <string_view>

namespace tbci::github {

/// HMAC-SHA-256 (RFC 2104) of the text as 64 hexadecimal digits. Pure.
std::string hmac_sha256_hex(std::string_view key, std::string_view text);

}  // namespace tbci::github
