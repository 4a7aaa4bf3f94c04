// Digests of libraries, remembered between nights.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "base/result.hpp"

namespace tbci::runner {

/// Digests of files, kept in a file so that a library is read once, not each night: another size or time of change is
/// another library. Used by one thread.
class LibraryDigests {
 public:
  /// What the file says is taken where it can be read; nothing is lost otherwise but time.
  explicit LibraryDigests(std::filesystem::path file);
  /// The first 16 digits of its SHA-256. Error (environment) where it cannot be read.
  Result<std::string> of(const std::filesystem::path& library);
  /// Writes what is new. Without anything new, nothing is written.
  Status save();

 private:
  std::filesystem::path file_;
  std::map<std::string, std::string> known_;  // "size time path" -> digest
  bool changed_ = false;
};

}  // namespace tbci::runner
