#include "runner/nightly/wheel_check.hpp"

#include <algorithm>
#include <cctype>
#include <span>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "runner/zip_archive.hpp"

namespace tbci::runner {

namespace {

namespace fs = std::filesystem;

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

bool begins_with_word(std::string_view name, std::string_view word) {
  return name == word || (name.starts_with(word) && name.size() > word.size() &&
                          (name[word.size()] == '.' || std::isdigit(static_cast<unsigned char>(name[word.size()]))));
}

// The folder of the wheel's own that is not installed as it lies: `torch-2.14.data/SCHEME/...`.
bool is_data(const ZipMember& member) {
  return member.parts.size() > 2 && member.parts[0].ends_with(".data");
}

// Where the packages lie, for the member: without what names the wheel's own folder.
std::size_t first_installed_part(const ZipMember& member) {
  return is_data(member) ? 2 : 0;
}

// What belongs to the environment: a wheel that replaces it runs in every later call.
std::string trouble_of_place(const ZipMember& member) {
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

bool is_known(const ZipArchive& archive, const ZipMember& member, std::span<const KnownStartFile> known) {
  if (member.bytes > longest_pth) return false;
  const auto text = archive.read(member, longest_pth);
  if (!text) return false;
  const std::string digest = sha256_hex(*text);
  return std::ranges::any_of(
      known, [&](const KnownStartFile& one) { return one.name == member.name && one.sha256 == digest; });
}

std::string trouble_of_start(const ZipArchive& archive, const ZipMember& member,
                             std::span<const KnownStartFile> known) {
  const std::size_t at = first_installed_part(member);
  // Elsewhere a `.pth` is a checkpoint of a model. What goes by the name of a module that a known one imports is that
  // module, in whatever wheel it is.
  const bool is_read = member.parts.size() == at + 1 && member.name.ends_with(".pth");
  const bool is_imported = member.parts.size() > at && begins_with_word(member.parts[at], redirector);
  if (!is_read && !is_imported) return {};
  if (is_known(archive, member, known)) return {};
  if (member.name == pth_of_setuptools && member.bytes <= longest_pth) {
    const auto text = archive.read(member, longest_pth);
    const bool is_that =
        text && text->starts_with(text_of_setuptools) && trim(*text).find('\n') == std::string_view::npos;
    if (is_that) return {};
  }
  return "runs whenever Python starts, or adds folders to its path";
}

std::string trouble_of(const ZipArchive& archive, const ZipMember& member, std::span<const KnownStartFile> known) {
  const std::string trouble = trouble_of_place(member);
  return trouble.empty() ? trouble_of_start(archive, member, known) : trouble;
}

// Adds up the members, or says which of them is refused.
Result<WheelContents> look_through(const ZipArchive& archive, std::span<const KnownStartFile> known) {
  TBCI_ASSIGN(const ZipContents contents, archive.contents());
  bool has_record = false;
  for (const ZipMember& member : contents.members) {
    if (const std::string trouble = trouble_of(archive, member, known); !trouble.empty())
      return fail(ErrorKind::failed, "'{}' {}", one_line(member.name, 120), trouble);
    has_record = has_record ||
                 (member.parts.size() == 2 && member.parts[0].ends_with(".dist-info") && member.parts[1] == "RECORD");
  }
  if (!has_record) return fail(ErrorKind::failed, "it has no RECORD");
  return WheelContents{.members = contents.members.size(), .unpacked_bytes = contents.unpacked_bytes};
}

}  // namespace

std::span<const KnownStartFile> known_start_files() {
  return files_of_redirector;
}

Result<WheelContents> check_wheel(const fs::path& wheel, std::span<const KnownStartFile> known) {
  const std::string file = one_line(wheel.filename().string(), 160);
  const auto archive = ZipArchive::open(wheel);
  if (!archive)
    return fail(archive.error().kind, "{} is refused: it is not a sound wheel: {}", file, archive.error().message);
  auto contents = look_through(*archive, known);
  if (!contents) return fail(contents.error().kind, "{} is refused: {}", file, contents.error().message);
  return contents;
}

}  // namespace tbci::runner
