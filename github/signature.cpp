#include "github/signature.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>

#include "base/assert.hpp"

namespace tbci::github {

std::string hmac_sha256_hex(std::string_view key, std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> mac{};
  unsigned int size = 0;
  const auto* const bytes = reinterpret_cast<const unsigned char*>(text.data());
  const bool made =
      HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes, text.size(), mac.data(), &size) != nullptr;
  TBCI_ASSERT(made);
  std::string digits;
  for (unsigned int i = 0; i < size; ++i) digits += fmt::format("{:02x}", mac[i]);
  return digits;
}

}  // namespace tbci::github
