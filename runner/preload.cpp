#include "runner/preload.hpp"

#include <string>

namespace tbci::runner {

bool replaces_libtorch(const std::filesystem::path& library) {
  const std::string name = library.filename().string();
  return name.starts_with("libc10") || name.starts_with("libtorch");
}

bool is_preloadable(const std::filesystem::path& library) {
  return library.string().find_first_of(" :") == std::string::npos;
}

void preload_libraries(Command& command, const model::Product& product) {
  std::string before_start;
  for (const auto& library : product.preload) {
    if (replaces_libtorch(library)) {
      before_start += (before_start.empty() ? "" : ":") + library.string();
    } else {
      command.arguments.insert(command.arguments.end(), {"--preload", library.string()});
    }
  }
  if (!before_start.empty()) command.environment["LD_PRELOAD"] = before_start;
}

}  // namespace tbci::runner
