// Zip archives of strangers: judged by their directory before anything of them is unpacked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.hpp"

struct zip;  // of libzip

namespace tbci::runner {

struct ZipMember {
  std::uint64_t index = 0;
  std::string name;                ///< as its bytes are; that of a folder ends with a slash
  std::vector<std::string> parts;  ///< of the name
  std::uint64_t bytes = 0, packed_bytes = 0;
  bool executable = false;
  bool is_folder() const { return name.ends_with('/'); }
};

struct ZipContents {
  std::vector<ZipMember> members;
  std::uint64_t unpacked_bytes = 0;
};

/// What the names and sizes of its directory say holds for all that reads it here: a member that is longer than its
/// entry says is not taken.
class ZipArchive {
 public:
  /// Refuses (kind `failed`) an archive whose two directories differ, or with two members of one name. Of kind
  /// `machine` where the file cannot be read, `transient` where it has not even the end of an archive: it may be cut
  /// off.
  static Result<ZipArchive> open(const std::filesystem::path& file);
  ZipArchive(ZipArchive&&) noexcept;
  ZipArchive& operator=(ZipArchive&&) noexcept;
  ~ZipArchive();

  /// Refuses (kind `failed`, naming the member) what would leave its folder, a link, a device, what is encrypted, too
  /// many members, and contents that are too large or packed too well.
  Result<ZipContents> contents() const;
  /// The first `at_most` bytes of a member, or all of a shorter one.
  Result<std::string> read(const ZipMember& member, std::size_t at_most) const;
  /// Unpacks what `contents` accepted into an empty folder. Of all modes only the executable bit is kept. Errors:
  /// failed where a member is damaged or lies where another one does, machine where the disk does not take it,
  /// interrupted.
  Status unpack(const ZipContents& accepted, const std::filesystem::path& folder, const std::stop_token& stop) const;

 private:
  explicit ZipArchive(zip* opened);
  Status unpack_file(const ZipMember& member, const std::filesystem::path& to, const std::stop_token& stop) const;

  struct Close {
    void operator()(zip* archive) const;
  };
  std::unique_ptr<zip, Close> zip_;
};

}  // namespace tbci::runner
