// Files: bounded reads, commit-or-nothing writes, locks, free space.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/descriptor.hpp"
#include "base/result.hpp"

namespace tbci {

/// Opens an ordinary file for reading. Error (machine) for what could block or never end: a pipe, a socket, a
/// device, a folder; also behind a link.
Result<Descriptor> open_ordinary_file(const std::filesystem::path& path);

inline constexpr std::size_t most_read_bytes = std::size_t{256} << 20;
/// The whole text of an ordinary file. Never blocks, whoever made the file. Error (machine) also for a file of more
/// than `most_bytes`.
Result<std::string> read_file(const std::filesystem::path& path, std::size_t most_bytes = most_read_bytes);
/// The same of whatever a person named: also of a pipe, as in `--config <(make-config)`. May block.
Result<std::string> read_named_file(const std::filesystem::path& path, std::size_t most_bytes = most_read_bytes);

/// Writes a file beside the target, syncs it and renames it: the target has the old text or the new one, never a part.
/// Makes the parent folders. The umask governs who may read it. A power cut afterwards takes nothing back.
Status write_file_atomically(const std::filesystem::path& path, std::string_view text);

Status make_directories(const std::filesystem::path& path);

/// Removes a folder with all that is in it, also where its makers took away their own permissions; succeeds where there
/// is nothing. Follows no links.
Status remove_tree(const std::filesystem::path& path);

/// Bytes that an ordinary user can still write on the file system of `path` (or of its nearest existing parent).
Result<std::uint64_t> free_bytes(const std::filesystem::path& path);

/// Bytes that a file, or a folder with all that is in it, takes on the disk. Follows no link, and skips what it cannot
/// read. Each name of a file with several counts for its share: half of it, where there are two.
std::uint64_t bytes_on_disk(const std::filesystem::path& path);

/// `folder / name`, refused where `name` would leave the folder (absolute, or with `..`).
Result<std::filesystem::path> path_inside(const std::filesystem::path& folder, const std::string& name);

/// While it lives, no other process gets the same lock (flock). The lock ends with the process, however that ends.
class FileLock {
 public:
  /// Fails at once (kind transient) when another process holds it; the error names that process.
  static Result<FileLock> acquire(const std::filesystem::path& path);
  /// Removes the file of a lock that nobody holds; leaves one that somebody does. Safe beside `acquire`: who holds the
  /// lock of a removed file does not count as its holder, and takes the lock of the new one.
  static void remove_unheld(const std::filesystem::path& path);
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();

 private:
  explicit FileLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_ = -1;
};

}  // namespace tbci
