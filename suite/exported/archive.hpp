// The directory of a zip archive: what .pt, .pt2 and .inputs.pt files are. Read before LibTorch opens a file: its
// own readers allocate whatever the directory claims, and write to the paths that it names.
// The format: PKWARE's APPNOTE.TXT 6.3, sections 4.3.12 to 4.3.16 and 4.5.3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tbci::suite::exported {

struct ArchiveEntry {
  std::string name;
  std::uint64_t bytes;         // unpacked
  std::uint64_t packed_bytes;  // in the file
  std::uint64_t offset;        // of the local header
  bool stored;                 // not compressed
};

struct Archive {
  std::vector<ArchiveEntry> entries;
  std::uint64_t bytes = 0;  // of all entries, unpacked
};

struct ArchiveLimits {
  std::uint64_t file_bytes;
  std::uint64_t unpacked_bytes;
};

// Empty, or one line that says why the archive must not be unpacked: not a zip, truncated, over the limits, or with an
// entry whose name leaves the target folder.
std::string read_archive(const std::filesystem::path& file, const ArchiveLimits& limits, Archive& into);

// The content of a stored entry; nothing if it is compressed, above `most` bytes or missing.
std::string read_entry(const std::filesystem::path& file, const ArchiveEntry& entry, std::size_t most);

}  // namespace tbci::suite::exported
