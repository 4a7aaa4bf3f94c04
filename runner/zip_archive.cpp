#include "runner/zip_archive.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "base/descriptor.hpp"
#include "base/file.hpp"
#include "base/text.hpp"

namespace tbci::runner {

namespace {

namespace fs = std::filesystem;

// PyTorch with CUDA has 12,000 files of 4 GB, and no part of it is packed better than one to ten.
constexpr zip_int64_t most_members = 200'000;
constexpr std::uint64_t most_unpacked_bytes = std::uint64_t{32} << 30;
constexpr std::uint64_t small_enough_bytes = std::uint64_t{256} << 20;  // whatever the ratio
constexpr std::uint64_t most_ratio = 100;
constexpr std::size_t longest_member_name = 1024;

struct CloseMember {
  void operator()(zip_file_t* member) const { zip_fclose(member); }
};
using OpenMember = std::unique_ptr<zip_file_t, CloseMember>;

std::string text_of_code(int code) {
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  std::string text = zip_error_strerror(&error);
  zip_error_fini(&error);
  return text;
}

bool has_control(std::string_view name) {
  return std::ranges::any_of(name, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

// Why the name is none for a member; empty: it stays in its folder.
std::string trouble_of_name(const ZipMember& member) {
  if (member.name.size() > longest_member_name) return "has too long a name";
  if (has_control(member.name)) return "has control characters in its name";
  if (member.name.find('\\') != std::string::npos) return "has a backslash in its name";
  if (member.name.starts_with('/') || (member.name.size() > 1 && member.name[1] == ':')) return "has an absolute path";
  for (const std::string& part : member.parts) {
    if (part == "..") return "leads out of its folder";
    if (part.empty() || part == ".") return "has an empty part in its name";
  }
  return {};
}

std::string trouble_of_sizes(const ZipMember& member, const zip_stat_t& facts) {
  constexpr zip_uint64_t wanted = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_ENCRYPTION_METHOD;
  if ((facts.valid & wanted) != wanted) return "has no size";
  if (facts.encryption_method != ZIP_EM_NONE) return "is encrypted";
  if (member.is_folder() && facts.size != 0) return "is a folder with contents";
  return {};
}

// Also learns whether it is a program.
std::string trouble_of_type(zip_t* archive, ZipMember& member) {
  zip_uint8_t system = 0;
  zip_uint32_t attributes = 0;
  if (zip_file_get_external_attributes(archive, member.index, 0, &system, &attributes) != 0)
    return "has attributes that cannot be read";
  if (system != ZIP_OPSYS_UNIX && system != ZIP_OPSYS_OS_X) return {};
  const auto mode = static_cast<mode_t>(attributes >> 16);
  const mode_t type = mode & S_IFMT;
  if (type == S_IFLNK) return "is a link";
  if (type != 0 && type != S_IFREG && type != S_IFDIR) return "is neither a file nor a folder";
  member.executable = (mode & S_IXUSR) != 0;
  return {};
}

// A member as the archive's directory names it, or why it is refused.
Result<ZipMember> read_entry(zip_t* archive, zip_uint64_t index) {
  ZipMember member{.index = index, .name = {}, .parts = {}};
  zip_stat_t facts{};
  // As the bytes are: pip would take them in the same way.
  const char* name = zip_get_name(archive, index, ZIP_FL_ENC_GUESS);
  if (name == nullptr || zip_stat_index(archive, index, 0, &facts) != 0)
    return fail(ErrorKind::failed, "member {}: {}", index, zip_strerror(archive));
  member.name = name;
  const std::string_view path = member.is_folder() ? std::string_view(member.name).substr(0, member.name.size() - 1)
                                                   : std::string_view(member.name);
  member.parts = split(path, '/');
  if (path.empty()) member.parts = {std::string()};
  for (const std::string& trouble :
       {trouble_of_name(member), trouble_of_sizes(member, facts), trouble_of_type(archive, member)}) {
    if (!trouble.empty()) return fail(ErrorKind::failed, "'{}' {}", one_line(member.name, 120), trouble);
  }
  member.bytes = facts.size;
  member.packed_bytes = facts.comp_size;
  return member;
}

// A folder or file that cannot be there because of what else the archive brought, or of its own name.
bool is_own_doing(int code) {
  return code == EEXIST || code == ENOTDIR || code == EISDIR || code == ENAMETOOLONG || code == EILSEQ ||
         code == EINVAL;
}

tl::unexpected<Error> cannot_unpack(const ZipMember& member, int code) {
  const std::string name = one_line(member.name, 120);
  if (is_own_doing(code))
    return fail(ErrorKind::failed, "'{}' cannot lie beside the other members: {}", name, std::strerror(code));
  return fail(ErrorKind::machine, "cannot unpack '{}': {}", name, std::strerror(code));
}

Status write_to(const Descriptor& file, const ZipMember& member, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file.get(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return cannot_unpack(member, errno);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

}  // namespace

void ZipArchive::Close::operator()(zip* archive) const {
  zip_discard(archive);
}

ZipArchive::ZipArchive(zip* opened) : zip_(opened) {}
ZipArchive::ZipArchive(ZipArchive&&) noexcept = default;
ZipArchive& ZipArchive::operator=(ZipArchive&&) noexcept = default;
ZipArchive::~ZipArchive() = default;

Result<ZipArchive> ZipArchive::open(const fs::path& file) {
  int code = 0;
  // Both directories of the archive, the one at its end and that of each member, must say the same; no name twice.
  zip_t* opened = zip_open(file.c_str(), ZIP_RDONLY | ZIP_CHECKCONS, &code);
  if (opened != nullptr) return ZipArchive(opened);
  const bool unreadable = code == ZIP_ER_OPEN || code == ZIP_ER_READ || code == ZIP_ER_MEMORY || code == ZIP_ER_NOENT;
  const ErrorKind other = code == ZIP_ER_NOZIP ? ErrorKind::transient : ErrorKind::failed;
  return fail(unreadable ? ErrorKind::machine : other, "{}", text_of_code(code));
}

Result<ZipContents> ZipArchive::contents() const {
  const zip_int64_t count = zip_get_num_entries(zip_.get(), 0);
  if (count > most_members) return fail(ErrorKind::failed, "it has {} members", count);
  ZipContents contents;
  std::uint64_t packed = 0;
  for (zip_int64_t at = 0; at < count; ++at) {
    TBCI_ASSIGN(ZipMember member, read_entry(zip_.get(), static_cast<zip_uint64_t>(at)));
    packed += member.packed_bytes;
    if (member.bytes > most_unpacked_bytes - contents.unpacked_bytes) {
      return fail(ErrorKind::failed, "'{}' makes it unpack to over {} GiB", one_line(member.name, 120),
                  most_unpacked_bytes >> 30);
    }
    contents.unpacked_bytes += member.bytes;
    contents.members.push_back(std::move(member));
  }
  if (contents.unpacked_bytes > small_enough_bytes && contents.unpacked_bytes / most_ratio > packed)
    return fail(ErrorKind::failed, "its {} MiB unpack to {} MiB", packed >> 20, contents.unpacked_bytes >> 20);
  return contents;
}

Result<std::string> ZipArchive::read(const ZipMember& member, std::size_t at_most) const {
  const OpenMember open(zip_fopen_index(zip_.get(), member.index, 0));
  if (!open) return fail(ErrorKind::failed, "{}", zip_strerror(zip_.get()));
  std::string text(at_most, '\0');
  const zip_int64_t count = zip_fread(open.get(), text.data(), text.size());
  if (count < 0) return fail(ErrorKind::failed, "{}", zip_strerror(zip_.get()));
  text.resize(static_cast<std::size_t>(count));
  return text;
}

Status ZipArchive::unpack(const ZipContents& accepted, const fs::path& folder, const std::stop_token& stop) const {
  for (const ZipMember& member : accepted.members) {
    fs::path to = folder;
    for (const std::string& part : member.parts) to /= part;
    std::error_code error;
    fs::create_directories(member.is_folder() ? to : to.parent_path(), error);
    if (error) return cannot_unpack(member, error.value());
    if (!member.is_folder()) TBCI_TRY(unpack_file(member, to, stop));
  }
  return {};
}

Status ZipArchive::unpack_file(const ZipMember& member, const fs::path& to, const std::stop_token& stop) const {
  const OpenMember open(zip_fopen_index(zip_.get(), member.index, 0));
  const std::string name = one_line(member.name, 120);
  if (!open) return fail(ErrorKind::failed, "'{}': {}", name, zip_strerror(zip_.get()));
  const Descriptor file(
      ::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, member.executable ? 0755 : 0644));
  if (!file.open()) return cannot_unpack(member, errno);
  std::string part(1 << 20, '\0');
  std::uint64_t written = 0;
  while (true) {
    if (stop.stop_requested()) return fail(ErrorKind::interrupted, "unpacking '{}': stopped", name);
    const zip_int64_t count = zip_fread(open.get(), part.data(), part.size());
    if (count < 0) {
      zip_error_t* why = zip_file_get_error(open.get());
      const bool unreadable = zip_error_code_zip(why) == ZIP_ER_READ || zip_error_code_zip(why) == ZIP_ER_MEMORY;
      return fail(unreadable ? ErrorKind::machine : ErrorKind::failed, "'{}' is damaged: {}", name,
                  zip_error_strerror(why));
    }
    written += static_cast<std::uint64_t>(count);
    const bool ends = count == 0;
    if (written > member.bytes || (ends && written < member.bytes))
      return fail(ErrorKind::failed, "'{}' has another length than the archive says", name);
    if (ends) return {};
    TBCI_TRY(write_to(file, member, std::string_view(part).substr(0, static_cast<std::size_t>(count))));
  }
}

}  // namespace tbci::runner
