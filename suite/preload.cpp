#include "suite/preload.hpp"

#include <dlfcn.h>

namespace tbci::suite {
namespace {

std::vector<std::string>& opened_libraries() {
  static std::vector<std::string> opened;
  return opened;
}

}  // namespace

const std::vector<std::string>& preloaded() {
  return opened_libraries();
}

std::string preload(const std::vector<std::string>& libraries) {
  for (const std::string& library : libraries) {
    if (::dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL) != nullptr) {
      opened_libraries().push_back(library);
      continue;
    }
    const char* reason = ::dlerror();
    return "cannot preload " + library + ": " + (reason != nullptr ? reason : "unknown reason");
  }
  return {};
}

}  // namespace tbci::suite
