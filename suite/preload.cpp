#include "suite/preload.hpp"

#include <dlfcn.h>

namespace tbci::suite {

std::string preload(const std::vector<std::string>& libraries) {
  for (const std::string& library : libraries) {
    if (::dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL) != nullptr) continue;
    const char* reason = ::dlerror();
    return "cannot preload " + library + ": " + (reason != nullptr ? reason : "unknown reason");
  }
  return {};
}

}  // namespace tbci::suite
