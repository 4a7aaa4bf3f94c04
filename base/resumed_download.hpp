// Downloads a large file, and goes on where an earlier try broke off.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>

#include "base/clock.hpp"
#include "base/http.hpp"

namespace tbci {

struct Download {
  std::string url;
  std::filesystem::path file;               ///< until it is whole `FILE.part`; `FILE.part.of` says what it is of
  std::string sha256 = {};                  ///< 64 hexadecimal digits; empty: unknown
  std::filesystem::path certificates = {};  ///< see HttpRequest
  /// A server that says no length may send without end; the largest wheels have 3 GB.
  std::uint64_t most_bytes = std::uint64_t{8} << 30;
  ErrorKind too_large = ErrorKind::machine;             ///< of the error for a larger file
  std::optional<std::chrono::seconds> time_limit = {};  ///< of all requests together; nothing: two hours for each
  bool keeps_https = false;                             ///< see HttpRequest
};

struct Downloaded {
  std::uint64_t bytes = 0;    ///< of the file
  std::uint64_t fetched = 0;  ///< of them by this call; the rest was there
  int requests = 0;
};

/// Asks nobody where the file is there and has the digest. A part, or a file whose digest nobody knows, is continued
/// (RFC 9110, section 14) where the server says that it is of the same file, or the digest will tell. A connection that
/// breaks is taken up again: after five tries in a row that brought nothing, the error is `transient`, and the part
/// stays for a later call. Other errors: `transient` for a server's 408, 429 and 5xx that last, and for a file with
/// another digest, and where the time is over; `failed` for any other refusal; `machine` where the disk is too small or
/// cannot be written, and `too_large` for a file of more than `most_bytes`, of which nothing stays; `interrupted`. One
/// call at a time for a file.
Result<Downloaded> download(HttpClient& http, const Clock& clock, const Download& wanted, const std::stop_token& stop);

/// Removes the file and what tells of its download.
void forget_download(const std::filesystem::path& file);

}  // namespace tbci
