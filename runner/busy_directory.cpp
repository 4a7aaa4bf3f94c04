#include "runner/busy_directory.hpp"

#include <string>
#include <system_error>

namespace tbci::runner {

namespace fs = std::filesystem;

bool is_busy_directory(const fs::path& folder) {
  std::error_code ignored;
  const std::string inside = fs::weakly_canonical(folder, ignored).string() + "/";
  for (fs::directory_iterator at("/proc", ignored), end; !ignored && at != end; at.increment(ignored)) {
    std::error_code gone;
    const fs::path place = fs::read_symlink(at->path() / "cwd", gone);
    if (!gone && (place.string() + "/").starts_with(inside)) return true;
  }
  return false;
}

}  // namespace tbci::runner
