#include "base/digest.hpp"

#include <openssl/evp.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <vector>

#include "base/assert.hpp"

namespace tbci {

Result<std::string> sha256_of_file(const std::filesystem::path& path) {
  std::error_code ignored;
  // Reading a pipe in place of a library could block for ever.
  if (!std::filesystem::is_regular_file(path, ignored))
    return fail(ErrorKind::environment, "cannot read {}: it is not an ordinary file", path.string());
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail(ErrorKind::environment, "cannot read {}: {}", path.string(), std::strerror(errno));
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  TBCI_ASSERT(context != nullptr && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1);
  std::vector<char> part(1 << 20);
  while (file) {
    file.read(part.data(), static_cast<std::streamsize>(part.size()));
    TBCI_ASSERT(EVP_DigestUpdate(context.get(), part.data(), static_cast<std::size_t>(file.gcount())) == 1);
  }
  if (!file.eof()) return fail(ErrorKind::environment, "cannot read {} to its end", path.string());
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  TBCI_ASSERT(EVP_DigestFinal_ex(context.get(), digest.data(), &size) == 1);
  return fmt::format("{:02x}", fmt::join(digest.begin(), digest.begin() + size, ""));
}

}  // namespace tbci
