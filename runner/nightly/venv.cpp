#include "runner/nightly/venv.hpp"

namespace tbci::runner {

namespace fs = std::filesystem;

Result<fs::path> Venv::packages() const {
  std::error_code ignored;
  for (const char* lib : {"lib", "lib64"}) {
    for (fs::directory_iterator at(folder / lib, ignored), end; !ignored && at != end; at.increment(ignored)) {
      fs::path packages = at->path() / "site-packages";
      if (fs::is_directory(packages, ignored)) return packages;
    }
  }
  return fail(ErrorKind::failed, "{} has no site-packages", folder.string());
}

Result<fs::path> find_torch(const Venv& venv) {
  const auto packages = venv.packages();
  std::error_code ignored;
  if (packages && fs::exists(*packages / "torch/version.py", ignored)) return *packages / "torch";
  return fail(ErrorKind::failed, "{} was installed, but contains no torch; check the package name",
              venv.folder.string());
}

}  // namespace tbci::runner
