#include "suite/exported/archive.hpp"

#include <algorithm>
#include <fstream>
#include <optional>

namespace tbci::suite::exported {
namespace {

constexpr std::uint32_t end_signature = 0x06054b50, end64_signature = 0x06064b50, locator_signature = 0x07064b50;
constexpr std::uint32_t entry_signature = 0x02014b50, local_signature = 0x04034b50;
constexpr std::size_t end_bytes = 22, end64_bytes = 56, locator_bytes = 20, entry_bytes = 46, local_bytes = 30;
constexpr std::size_t longest_comment = 65535;
constexpr std::uint64_t largest_directory_bytes = std::uint64_t{64} << 20;

// Little-endian numbers at a place. Beyond the end everything is 0: signatures and sizes then do not fit.
class Bytes {
 public:
  explicit Bytes(std::string text) : text_(std::move(text)) {}

  std::uint64_t number(std::size_t at, std::size_t width) const {
    std::uint64_t value = 0;
    if (at > text_.size() || text_.size() - at < width) return 0;
    for (std::size_t i = width; i-- > 0;) value = value << 8 | static_cast<unsigned char>(text_[at + i]);
    return value;
  }
  std::uint16_t u16(std::size_t at) const { return static_cast<std::uint16_t>(number(at, 2)); }
  std::uint32_t u32(std::size_t at) const { return static_cast<std::uint32_t>(number(at, 4)); }
  std::uint64_t u64(std::size_t at) const { return number(at, 8); }
  bool holds(std::size_t at, std::size_t count) const { return at <= text_.size() && text_.size() - at >= count; }
  std::string text(std::size_t at, std::size_t count) const { return text_.substr(at, count); }
  std::size_t size() const { return text_.size(); }

 private:
  std::string text_;
};

Bytes read_at(std::ifstream& file, std::uint64_t at, std::size_t count) {
  std::string text(count, '\0');
  file.clear();
  file.seekg(static_cast<std::streamoff>(at));
  file.read(text.data(), static_cast<std::streamsize>(count));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return Bytes(std::move(text));
}

struct Directory {
  std::uint64_t entries, bytes, offset;
};

std::optional<Directory> find_directory(std::ifstream& file, std::uint64_t file_bytes) {
  const std::uint64_t length = std::min<std::uint64_t>(file_bytes, longest_comment + end_bytes + locator_bytes);
  const Bytes tail = read_at(file, file_bytes - length, static_cast<std::size_t>(length));
  for (std::size_t at = tail.size() < end_bytes ? 0 : tail.size() - end_bytes + 1; at-- > 0;) {
    if (tail.u32(at) != end_signature) continue;
    const Directory plain{tail.u16(at + 10), tail.u32(at + 12), tail.u32(at + 16)};
    const bool large = plain.entries == 0xffff || plain.bytes == 0xffffffff || plain.offset == 0xffffffff;
    if (!large) return plain;
    if (at < locator_bytes || tail.u32(at - locator_bytes) != locator_signature) return std::nullopt;
    const Bytes end = read_at(file, tail.u64(at - locator_bytes + 8), end64_bytes);
    if (end.u32(0) != end64_signature) return std::nullopt;
    return Directory{end.u64(32), end.u64(40), end.u64(48)};
  }
  return std::nullopt;
}

// Sizes that do not fit stand in an extra field of kind 1, in this order, and only those.
void read_large_sizes(const Bytes& directory, std::size_t at, std::size_t length, ArchiveEntry& entry) {
  for (std::size_t field = at; field + 4 <= at + length; field += 4 + directory.u16(field + 2)) {
    if (directory.u16(field) != 1) continue;
    std::size_t value = field + 4;
    for (std::uint64_t* size : {&entry.bytes, &entry.packed_bytes, &entry.offset}) {
      if (*size != 0xffffffff) continue;
      *size = directory.u64(value);
      value += 8;
    }
    return;
  }
}

// An absolute path, or one with `..` in it, would be written outside of where it is unpacked.
bool stays_inside(std::string_view name) {
  if (name.empty() || name.front() == '/' || name.find('\\') != std::string_view::npos ||
      name.find('\0') != std::string_view::npos)
    return false;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('/', begin), name.size());
    if (name.substr(begin, end - begin) == "..") return false;
    begin = end + 1;
  }
  return true;
}

std::string read_entries(const Bytes& directory, std::uint64_t count, std::uint64_t file_bytes, Archive& into) {
  std::size_t at = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::size_t name_length = directory.u16(at + 28), extra_length = directory.u16(at + 30);
    const bool whole = directory.holds(at, entry_bytes + name_length + extra_length);
    if (!whole || directory.u32(at) != entry_signature) return "its directory is broken";
    ArchiveEntry entry{directory.text(at + entry_bytes, name_length), directory.u32(at + 24), directory.u32(at + 20),
                       directory.u32(at + 42), directory.u16(at + 10) == 0};
    read_large_sizes(directory, at + entry_bytes + name_length, extra_length, entry);
    if (!stays_inside(entry.name)) return "it names a file outside of its folder";
    const bool fits = entry.offset <= file_bytes && entry.packed_bytes <= file_bytes - entry.offset;
    if (!fits || (entry.stored && entry.bytes != entry.packed_bytes))
      return "it is truncated, or claims more data than it has";
    into.bytes = entry.bytes > UINT64_MAX - into.bytes ? UINT64_MAX : into.bytes + entry.bytes;
    at += entry_bytes + name_length + extra_length + directory.u16(at + 32);
    into.entries.push_back(std::move(entry));
  }
  return {};
}

std::string mebibytes(std::uint64_t bytes) {
  return std::to_string(bytes >> 20) + " MiB";
}

}  // namespace

std::string read_archive(const std::filesystem::path& path, const ArchiveLimits& limits, Archive& into) {
  into = {};
  std::error_code error;
  const std::uint64_t file_bytes = std::filesystem::file_size(path, error);
  std::ifstream file(path, std::ios::binary);
  if (error || !file) return "it cannot be read";
  if (file_bytes > limits.file_bytes) return "it is larger than " + mebibytes(limits.file_bytes) + ", the limit";
  const auto directory = find_directory(file, file_bytes);
  if (!directory) return "it is not a zip archive, or it is truncated";
  if (directory->bytes > largest_directory_bytes || directory->bytes > file_bytes ||
      directory->entries > directory->bytes / entry_bytes)
    return "its directory is broken";
  const Bytes bytes = read_at(file, directory->offset, static_cast<std::size_t>(directory->bytes));
  std::string why = read_entries(bytes, directory->entries, file_bytes, into);
  if (why.empty() && into.bytes > limits.unpacked_bytes)
    why = "unpacked it would be larger than " + mebibytes(limits.unpacked_bytes);
  return why;
}

std::string read_entry(const std::filesystem::path& path, const ArchiveEntry& entry, std::size_t most) {
  if (!entry.stored || entry.bytes > most) return {};
  std::ifstream file(path, std::ios::binary);
  const Bytes header = read_at(file, entry.offset, local_bytes);
  if (header.u32(0) != local_signature) return {};
  const std::uint64_t begin = entry.offset + local_bytes + header.u16(26) + header.u16(28);
  const Bytes content = read_at(file, begin, static_cast<std::size_t>(entry.bytes));
  return content.size() == entry.bytes ? content.text(0, content.size()) : std::string();
}

}  // namespace tbci::suite::exported
