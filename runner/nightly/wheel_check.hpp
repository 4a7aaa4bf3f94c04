// What a wheel would put where: judged before anything of it is unpacked. The archive is hostile.
//
// The names and sizes of the archive's directory are what pip unpacks by: a member that is longer than its entry says
// is cut off there. What the members contain is checked once they lie on the disk (installed_files.hpp).
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

#include "base/result.hpp"

namespace tbci::runner {

struct WheelContents {
  std::size_t members = 0;
  std::uint64_t unpacked_bytes = 0;
};

/// A file that runs whenever Python starts and is accepted all the same: by its name and its contents.
struct KnownStartFile {
  std::string_view name;    ///< of the member
  std::string_view sha256;  ///< 64 hexadecimal digits
};
/// Those that packages bring which PyTorch requires.
std::span<const KnownStartFile> known_start_files();

/// Refuses (kind `failed`) a wheel with a member that would leave its folder or change the environment itself (its
/// interpreter, pip), a link, a device, two members of one name, encrypted members, code that runs whenever Python
/// starts (`.pth` files, `sitecustomize`) and is not known, no RECORD, or contents that are too large. The message
/// names the wheel and the member. Of kind `machine` where the file cannot be read, `transient` where it has not even
/// the end of an archive: it may be cut off.
Result<WheelContents> check_wheel(const std::filesystem::path& wheel,
                                  std::span<const KnownStartFile> known = known_start_files());

}  // namespace tbci::runner
