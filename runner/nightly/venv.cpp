#include "runner/nightly/venv.hpp"

#include "base/file.hpp"
#include "base/text.hpp"

namespace tbci::runner {

namespace fs = std::filesystem;

Status Venv::complete(const std::string& requirement, const std::string& unpacker) const {
  return write_file_atomically(marker(), requirement + "\n" + unpacker + "\n");
}

std::string Venv::unpacker() const {
  const std::string text = read_file(marker(), 4096).value_or("");
  const std::size_t second = text.find('\n');
  return second == std::string::npos ? std::string() : one_line(trim(text.substr(second)), 60);
}

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
