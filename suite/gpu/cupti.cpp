#ifdef TBCI_WITH_CUPTI

#include "suite/gpu/cupti.hpp"

#include <dlfcn.h>
#include <link.h>

#include <string>

namespace tbci::suite {
namespace {

// Each version has another file name: libcupti.so.12, libcupti.so.13.
std::string path_of_loaded_cupti() {
  std::string found;
  const auto look = [](dl_phdr_info* library, std::size_t, void* into) {
    const std::string path = library->dlpi_name == nullptr ? "" : library->dlpi_name;
    if (path.find("/libcupti.so") == std::string::npos) return 0;
    *static_cast<std::string*>(into) = path;
    return 1;
  };
  dl_iterate_phdr(look, &found);
  return found;
}

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace

std::optional<Cupti> loaded_cupti() {
  const std::string path = path_of_loaded_cupti();
  void* library = path.empty() ? nullptr : dlopen(path.c_str(), RTLD_NOLOAD | RTLD_NOW);
  if (library == nullptr) return std::nullopt;
  Cupti cupti;
  const bool complete = find(library, "cuptiActivityRegisterCallbacks", cupti.register_callbacks) &&
                        find(library, "cuptiActivityEnable", cupti.enable) &&
                        find(library, "cuptiActivityDisable", cupti.disable) &&
                        find(library, "cuptiActivityFlushAll", cupti.flush_all) &&
                        find(library, "cuptiActivityGetNextRecord", cupti.get_next_record) &&
                        find(library, "cuptiActivityGetNumDroppedRecords", cupti.get_dropped_records) &&
                        find(library, "cuptiActivityPushExternalCorrelationId", cupti.push_caller) &&
                        find(library, "cuptiActivityPopExternalCorrelationId", cupti.pop_caller) &&
                        find(library, "cuptiGetTimestamp", cupti.get_timestamp) &&
                        find(library, "cuptiGetResultString", cupti.get_result_string);
  return complete ? std::optional(cupti) : std::nullopt;
}

}  // namespace tbci::suite

#endif
