#include "runner/nightly/wheel_check.hpp"

#include <sys/stat.h>
#include <zip.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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
constexpr std::size_t longest_pth = 64 << 10;

// Files of their kind that installations of PyTorch bring: setuptools makes old imports of distutils its own.
constexpr std::string_view pth_of_setuptools = "distutils-precedence.pth";
constexpr std::string_view text_of_setuptools =
    "import os; var = 'SETUPTOOLS_USE_DISTUTILS'; enabled = os.environ.get(var, 'local') == 'local'; enabled and "
    "__import__('_distutils_hack')";

// And cuda-bindings 12.9, which PyTorch with CUDA 12 requires: a module that lets a program ask for `cuda.__version__`.
// Known by its digests (12.9.0, 12.9.1 and newer, 12.9.8 and newer), as its text is not ours.
constexpr std::string_view redirector = "_cuda_bindings_redirector";
constexpr KnownStartFile files_of_redirector[] = {
    {"_cuda_bindings_redirector.pth", "7b9d5f18e0af2d7bda9a8a17ca2767ee854875f0f9fb7430734bd140fea6d2c6"},
    {"_cuda_bindings_redirector.py", "1f0be2ba88e8f1a266ff36f23b8606dea707aefd07a4962cc5ac235c484401a7"},
    {"_cuda_bindings_redirector.pth", "28d86507e791da835cf8b9dd21fe98b579b77b3ca27e3ad27bae6239bc94f769"},
    {"_cuda_bindings_redirector.py", "5f8d62dee92921479aaa624ab14051909e5b858be6280f8798a2d2864c3ebcc4"},
    {"_cuda_bindings_redirector.pth", "85a35d0fa0411036458d81dc56ae69bda1059d83882b7e2fe1bc3a5874213421"},
    {"_cuda_bindings_redirector.py", "25ed97b37208b2dba48d5732aa44899fa218c85d2c33148743ead8cc60d34fce"},
};

struct CloseArchive {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
struct CloseMember {
  void operator()(zip_file_t* member) const { zip_fclose(member); }
};
using Archive = std::unique_ptr<zip_t, CloseArchive>;
using OpenMember = std::unique_ptr<zip_file_t, CloseMember>;

std::string text_of(int code) {
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  std::string text = zip_error_strerror(&error);
  zip_error_fini(&error);
  return text;
}

struct Member {
  zip_uint64_t index = 0;
  std::string name;
  std::vector<std::string> parts;  // of the name
  zip_stat_t facts{};

  bool is_folder() const { return name.ends_with('/'); }
};

bool has_control(std::string_view name) {
  return std::ranges::any_of(name, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

// Why the name is none for a member; empty: it stays in its folder.
std::string trouble_of_name(const Member& member) {
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

std::string trouble_of_type(zip_t* archive, const Member& member) {
  zip_uint8_t system = 0;
  zip_uint32_t attributes = 0;
  if (zip_file_get_external_attributes(archive, member.index, 0, &system, &attributes) != 0)
    return "has attributes that cannot be read";
  if (system != ZIP_OPSYS_UNIX && system != ZIP_OPSYS_OS_X) return {};
  const auto type = static_cast<mode_t>(attributes >> 16) & S_IFMT;
  if (type == S_IFLNK) return "is a link";
  if (type != 0 && type != S_IFREG && type != S_IFDIR) return "is neither a file nor a folder";
  return {};
}

bool begins_with_word(std::string_view name, std::string_view word) {
  return name == word || (name.starts_with(word) && name.size() > word.size() &&
                          (name[word.size()] == '.' || std::isdigit(static_cast<unsigned char>(name[word.size()]))));
}

// The folder of the wheel's own that is not installed as it lies: `torch-2.14.data/SCHEME/...`.
bool is_data(const Member& member) {
  return member.parts.size() > 2 && member.parts[0].ends_with(".data");
}

// Where the packages lie, for the member: without what names the wheel's own folder.
std::size_t first_installed_part(const Member& member) {
  return is_data(member) ? 2 : 0;
}

// What belongs to the environment: a wheel that replaces it runs in every later call.
std::string trouble_of_place(const Member& member) {
  const std::size_t at = first_installed_part(member);
  if (is_data(member)) {
    const std::string& scheme = member.parts[1];
    const std::string& first = member.parts[2];
    const bool program = scheme == "scripts" || (scheme == "data" && first == "bin" && member.parts.size() > 3);
    const std::string& name = scheme == "scripts" || !program ? first : member.parts[3];
    for (const std::string_view own : {"python", "pip", "activate", "Activate"}) {
      if (program && begins_with_word(name, own)) return "would replace a program of the environment";
    }
    if (scheme == "data" && first == "pyvenv.cfg") return "would replace the environment's configuration";
    const bool has_packages = std::ranges::any_of(
        member.parts, [](const auto& part) { return part == "site-packages" || part == "dist-packages"; });
    if (scheme == "data" && has_packages) return "would go to the packages by a detour";
  }
  for (const std::string_view own : {"sitecustomize", "usercustomize"}) {
    if (begins_with_word(member.parts[at], own)) return "runs whenever Python starts";
  }
  if (member.parts[at] == "pip") return "would replace pip";
  return {};
}

Result<std::string> read_member(zip_t* archive, const Member& member, std::size_t most_bytes) {
  const OpenMember open(zip_fopen_index(archive, member.index, 0));
  if (!open) return fail(ErrorKind::failed, "{}", zip_strerror(archive));
  std::string text(most_bytes, '\0');
  const zip_int64_t count = zip_fread(open.get(), text.data(), text.size());
  if (count < 0) return fail(ErrorKind::failed, "{}", zip_strerror(archive));
  text.resize(static_cast<std::size_t>(count));
  return text;
}

bool is_known(zip_t* archive, const Member& member, std::span<const KnownStartFile> known) {
  if (member.facts.size > longest_pth) return false;
  const auto text = read_member(archive, member, longest_pth);
  if (!text) return false;
  const std::string digest = sha256_hex(*text);
  return std::ranges::any_of(
      known, [&](const KnownStartFile& one) { return one.name == member.name && one.sha256 == digest; });
}

std::string trouble_of_start(zip_t* archive, const Member& member, std::span<const KnownStartFile> known) {
  const std::size_t at = first_installed_part(member);
  // Elsewhere a `.pth` is a checkpoint of a model. What goes by the name of a module that a known one imports is that
  // module, in whatever wheel it is.
  const bool is_read = member.parts.size() == at + 1 && member.name.ends_with(".pth");
  const bool is_imported = member.parts.size() > at && begins_with_word(member.parts[at], redirector);
  if (!is_read && !is_imported) return {};
  if (is_known(archive, member, known)) return {};
  if (member.name == pth_of_setuptools && member.facts.size <= longest_pth) {
    const auto text = read_member(archive, member, longest_pth);
    const bool is_that =
        text && text->starts_with(text_of_setuptools) && trim(*text).find('\n') == std::string_view::npos;
    if (is_that) return {};
  }
  return "runs whenever Python starts, or adds folders to its path";
}

std::string trouble_of_sizes(const Member& member) {
  constexpr zip_uint64_t wanted = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_ENCRYPTION_METHOD;
  if ((member.facts.valid & wanted) != wanted) return "has no size";
  if (member.facts.encryption_method != ZIP_EM_NONE) return "is encrypted";
  if (member.is_folder() && member.facts.size != 0) return "is a folder with contents";
  return {};
}

std::string trouble_of(zip_t* archive, const Member& member, std::span<const KnownStartFile> known) {
  for (const std::string& trouble :
       {trouble_of_name(member), trouble_of_sizes(member), trouble_of_type(archive, member)}) {
    if (!trouble.empty()) return trouble;
  }
  const std::string trouble = trouble_of_place(member);
  return trouble.empty() ? trouble_of_start(archive, member, known) : trouble;
}

Result<Member> read_entry(zip_t* archive, zip_uint64_t index) {
  Member member{.index = index, .name = {}, .parts = {}};
  // As the bytes are: pip would take them in the same way.
  const char* name = zip_get_name(archive, index, ZIP_FL_ENC_GUESS);
  if (name == nullptr || zip_stat_index(archive, index, 0, &member.facts) != 0)
    return fail(ErrorKind::failed, "member {}: {}", index, zip_strerror(archive));
  member.name = name;
  const std::string_view path = member.is_folder() ? std::string_view(member.name).substr(0, member.name.size() - 1)
                                                   : std::string_view(member.name);
  member.parts = split(path, '/');
  if (path.empty()) member.parts = {std::string()};
  return member;
}

// Adds up the members, or says which of them is refused.
Result<WheelContents> look_through(zip_t* archive, std::span<const KnownStartFile> known) {
  const zip_int64_t count = zip_get_num_entries(archive, 0);
  if (count > most_members) return fail(ErrorKind::failed, "it has {} members", count);
  WheelContents contents;
  std::uint64_t packed = 0;
  bool has_record = false;
  for (zip_int64_t at = 0; at < count; ++at) {
    TBCI_ASSIGN(const Member member, read_entry(archive, static_cast<zip_uint64_t>(at)));
    const auto refuse = [&](std::string_view why) {
      return fail(ErrorKind::failed, "'{}' {}", one_line(member.name, 120), why);
    };
    if (const std::string trouble = trouble_of(archive, member, known); !trouble.empty()) return refuse(trouble);
    has_record = has_record ||
                 (member.parts.size() == 2 && member.parts[0].ends_with(".dist-info") && member.parts[1] == "RECORD");
    packed += member.facts.comp_size;
    if (member.facts.size > most_unpacked_bytes - contents.unpacked_bytes)
      return refuse(fmt::format("makes it unpack to over {} GiB", most_unpacked_bytes >> 30));
    contents.unpacked_bytes += member.facts.size;
    ++contents.members;
  }
  if (contents.unpacked_bytes > small_enough_bytes && contents.unpacked_bytes / most_ratio > packed)
    return fail(ErrorKind::failed, "its {} MiB unpack to {} MiB", packed >> 20, contents.unpacked_bytes >> 20);
  if (!has_record) return fail(ErrorKind::failed, "it has no RECORD");
  return contents;
}

}  // namespace

std::span<const KnownStartFile> known_start_files() {
  return files_of_redirector;
}

Result<WheelContents> check_wheel(const fs::path& wheel, std::span<const KnownStartFile> known) {
  const std::string file = one_line(wheel.filename().string(), 160);
  int code = 0;
  // Both directories of the archive, the one at its end and that of each member, must say the same; no name twice.
  const Archive archive(zip_open(wheel.c_str(), ZIP_RDONLY | ZIP_CHECKCONS, &code));
  if (!archive) {
    const bool unreadable = code == ZIP_ER_OPEN || code == ZIP_ER_READ || code == ZIP_ER_MEMORY || code == ZIP_ER_NOENT;
    const ErrorKind other = code == ZIP_ER_NOZIP ? ErrorKind::transient : ErrorKind::failed;
    return fail(unreadable ? ErrorKind::machine : other, "{} is refused: it is not a sound wheel: {}", file,
                text_of(code));
  }
  auto contents = look_through(archive.get(), known);
  if (!contents) return fail(contents.error().kind, "{} is refused: {}", file, contents.error().message);
  return contents;
}

}  // namespace tbci::runner
