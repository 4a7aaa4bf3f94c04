#include "base/digest.hpp"

#include <openssl/evp.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

#include "base/assert.hpp"
#include "base/file.hpp"

namespace tbci {

Result<std::string> sha256_of_file(const std::filesystem::path& path, std::uint64_t most_bytes) {
  TBCI_ASSIGN(const Descriptor file, open_ordinary_file(path));
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  TBCI_ASSERT(context != nullptr && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1);
  std::vector<char> part(1 << 20);
  std::uint64_t read_bytes = 0;
  while (true) {
    const ssize_t got = ::read(file.get(), part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(ErrorKind::machine, "cannot read {}: {}", path.string(), std::strerror(errno));
    if (got == 0) break;
    read_bytes += static_cast<std::uint64_t>(got);
    if (read_bytes > most_bytes)
      return fail(ErrorKind::machine, "cannot read {}: it is larger than {} bytes", path.string(), most_bytes);
    TBCI_ASSERT(EVP_DigestUpdate(context.get(), part.data(), static_cast<std::size_t>(got)) == 1);
  }
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  TBCI_ASSERT(EVP_DigestFinal_ex(context.get(), digest.data(), &size) == 1);
  return fmt::format("{:02x}", fmt::join(digest.begin(), digest.begin() + size, ""));
}

}  // namespace tbci
