#include "suite/version.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace tbci::suite {

namespace {

// The folder that the loaded LibTorch lies in; empty where the loader does not say.
std::string loaded_prefix() {
  void* library = dlopen("libtorch_cpu.so", RTLD_NOLOAD | RTLD_LAZY);
  if (library == nullptr) return {};
  const link_map* map = nullptr;
  const bool known = dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr && map->l_name != nullptr;
  const std::string path = known ? map->l_name : "";
  dlclose(library);
  const std::size_t folder = path.rfind('/');
  return folder == std::string::npos ? std::string() : path.substr(0, folder) + "/..";
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string first_line_of(const std::string& path) {
  const std::string text = text_of(path);
  return text.substr(0, text.find('\n'));
}

TorchVersion read_version() {
  TorchVersion version;
  const std::string prefix = loaded_prefix();
  if (!prefix.empty()) version = version_in(text_of(prefix + "/version.py"));
  if (!prefix.empty() && version.version.empty())
    version = {first_line_of(prefix + "/build-version"), first_line_of(prefix + "/build-hash")};
  if (version.version.empty()) version.version = TBCI_TORCH_VERSION;
  return version;
}

// What the line `name = '...'` assigns; the name may have a type, and the quotes may be double.
std::string assigned_in(const std::string& text, const std::string& name) {
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) {
    const bool named = line.compare(0, name.size(), name) == 0;
    const std::size_t after = line.find_first_not_of(' ', name.size());
    if (!named || after == std::string::npos || (line[after] != '=' && line[after] != ':')) continue;
    const std::size_t open = line.find_first_of("'\"", std::min(line.find('='), line.size()));
    if (open == std::string::npos) return {};
    const std::size_t close = line.find(line[open], open + 1);
    return close == std::string::npos ? std::string() : line.substr(open + 1, close - open - 1);
  }
  return {};
}

}  // namespace

TorchVersion version_in(const std::string& version_py) {
  return {assigned_in(version_py, "__version__"), assigned_in(version_py, "git_version")};
}

const TorchVersion& torch_version() {
  static const TorchVersion version = read_version();
  return version;
}

}  // namespace tbci::suite
