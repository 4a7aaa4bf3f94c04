// Digests of libraries, stored between nights.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "base/result.hpp"

namespace tbci::runner {

/// Stores digests in a file, so that a library is read once and not every night. A different size or modification time
/// means a different library. For one thread.
class LibraryDigests {
 public:
  /// Reads the stored digests. If the file cannot be read, only time is lost.
  explicit LibraryDigests(std::filesystem::path file);
  /// The first 16 digits of the SHA-256 of the library. Error (machine) if it cannot be read.
  Result<std::string> of(const std::filesystem::path& library);
  /// Writes the file if there are new digests.
  Status save();

 private:
  std::filesystem::path file_;
  std::map<std::string, std::string> known_;  // "size time path" -> digest
  bool changed_ = false;
};

}  // namespace tbci::runner
