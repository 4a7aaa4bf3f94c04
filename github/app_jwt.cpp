#include "github/app_jwt.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

namespace tbci::github {

namespace {

struct OpensslDeleter {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
template <typename T>
using Owned = std::unique_ptr<T, OpensslDeleter>;

// For a key with a password: nobody is there to be asked for it.
int give_no_password(char*, int, int, void*) {
  return 0;
}

std::string base64url(const unsigned char* bytes, std::size_t count) {
  std::string text(4 * ((count + 2) / 3) + 1, '\0');
  const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), bytes, static_cast<int>(count));
  text.resize(static_cast<std::size_t>(length));
  while (text.ends_with('=')) text.pop_back();
  for (char& c : text) c = c == '+' ? '-' : c == '/' ? '_' : c;
  return text;
}

std::string base64url(const std::string& text) {
  return base64url(reinterpret_cast<const unsigned char*>(text.data()), text.size());
}

std::optional<std::string> rs256(EVP_PKEY* key, const std::string& text) {
  const Owned<EVP_MD_CTX> context(EVP_MD_CTX_new());
  std::size_t size = 0;
  const auto* const begin = reinterpret_cast<const unsigned char*>(text.data());
  if (!context || EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key) != 1 ||
      EVP_DigestSign(context.get(), nullptr, &size, begin, text.size()) != 1) {
    return std::nullopt;
  }
  std::vector<unsigned char> signature(size);
  if (EVP_DigestSign(context.get(), signature.data(), &size, begin, text.size()) != 1) return std::nullopt;
  return base64url(signature.data(), size);
}

}  // namespace

Result<std::string> app_jwt(std::string_view issuer, const std::string& pem, TimePoint now) {
  const Owned<BIO> bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  const Owned<EVP_PKEY> key(bio ? PEM_read_bio_PrivateKey(bio.get(), nullptr, give_no_password, nullptr) : nullptr);
  const bool usable = key && EVP_PKEY_base_id(key.get()) == EVP_PKEY_RSA;
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()).count();
  const nlohmann::json head = {{"alg", "RS256"}, {"typ", "JWT"}};
  const nlohmann::json claims = {{"iat", seconds - 60}, {"exp", seconds + 540}, {"iss", issuer}};
  const std::string text = base64url(head.dump()) + "." + base64url(claims.dump());
  const auto signature = usable ? rs256(key.get(), text) : std::nullopt;
  ERR_clear_error();  // the next user of OpenSSL on this thread must not find what was ours
  if (!signature) {
    return fail(ErrorKind::machine,
                "the private key is not an RSA key in PEM without a password: download a new one from the App's page");
  }
  return text + "." + *signature;
}

}  // namespace tbci::github
