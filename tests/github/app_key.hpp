// The key pair of a GitHub App, made for a test.
#pragma once

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/text.hpp"

namespace tbci::test {

class AppKey {
 public:
  explicit AppKey(EVP_PKEY* key = EVP_RSA_gen(2048)) : key_(key) {}
  ~AppKey() { EVP_PKEY_free(key_); }
  AppKey(const AppKey&) = delete;
  AppKey& operator=(const AppKey&) = delete;

  /// The private key; with a password encrypted.
  std::string pem(const std::string& password = "") const {
    BIO* const bio = BIO_new(BIO_s_mem());
    PEM_write_bio_PrivateKey(bio, key_, password.empty() ? nullptr : EVP_aes_128_cbc(),
                             reinterpret_cast<const unsigned char*>(password.data()), static_cast<int>(password.size()),
                             nullptr, nullptr);
    char* text = nullptr;
    const long size = BIO_get_mem_data(bio, &text);
    std::string pem(text, static_cast<std::size_t>(size));
    BIO_free(bio);
    return pem;
  }

  /// The claims of a JWT that this key has signed with RS256; nothing if it has not.
  std::optional<nlohmann::json> claims(const std::string& jwt) const {
    const auto parts = split(jwt, '.');
    if (parts.size() != 3) return std::nullopt;
    const auto head = nlohmann::json::parse(decoded(parts[0]), nullptr, false);
    if (head != nlohmann::json{{"alg", "RS256"}, {"typ", "JWT"}}) return std::nullopt;
    const std::string text = parts[0] + "." + parts[1], signature = decoded(parts[2]);
    EVP_MD_CTX* const context = EVP_MD_CTX_new();
    EVP_DigestVerifyInit(context, nullptr, EVP_sha256(), nullptr, key_);
    const int valid =
        EVP_DigestVerify(context, reinterpret_cast<const unsigned char*>(signature.data()), signature.size(),
                         reinterpret_cast<const unsigned char*>(text.data()), text.size());
    EVP_MD_CTX_free(context);
    if (valid != 1) return std::nullopt;
    return nlohmann::json::parse(decoded(parts[1]), nullptr, false);
  }

 private:
  static std::string decoded(std::string text) {
    for (char& c : text) c = c == '-' ? '+' : c == '_' ? '/' : c;
    const std::size_t padding = (4 - text.size() % 4) % 4;
    text.append(padding, '=');
    std::string bytes(text.size(), '\0');
    const int size =
        EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                        reinterpret_cast<const unsigned char*>(text.data()), static_cast<int>(text.size()));
    bytes.resize(size < 0 ? 0 : static_cast<std::size_t>(size) - padding);
    return bytes;
  }

  EVP_PKEY* key_;
};

}  // namespace tbci::test
