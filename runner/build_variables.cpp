#include "runner/build_variables.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace tbci::runner {

namespace {

constexpr std::array steering_names = {"CC",
                                       "CPP",
                                       "LD",
                                       "AR",
                                       "NM",
                                       "RANLIB",
                                       "CFLAGS",
                                       "CXXFLAGS",
                                       "CPPFLAGS",
                                       "LDFLAGS",
                                       "CPATH",
                                       "C_INCLUDE_PATH",
                                       "CUDACXX",
                                       "CUDAHOSTCXX",
                                       "CUDA_HOME",
                                       "CPLUS_INCLUDE_PATH",
                                       "CUDA_PATH",
                                       "CUDAARCHS",
                                       "CXX",
                                       "LIBRARY_PATH",
                                       "NVCC_PREPEND_FLAGS",
                                       "NVCC_APPEND_FLAGS",
                                       "PKG_CONFIG_PATH",
                                       "TORCH_CUDA_ARCH_LIST"};

bool steers(std::string_view name) {
  if (name.starts_with("CMAKE_"))
    return !name.ends_with("_LAUNCHER") && name != "CMAKE_BUILD_PARALLEL_LEVEL" && name != "CMAKE_GENERATOR" &&
           name != "CMAKE_EXPORT_COMPILE_COMMANDS" && name != "CMAKE_COLOR_DIAGNOSTICS";
  return std::find(steering_names.begin(), steering_names.end(), name) != steering_names.end();
}

}  // namespace

std::string build_variables(const std::map<std::string, std::string>& variables) {
  std::string text;
  for (const auto& [name, value] : variables) {
    if (steers(name) && !value.empty()) text += name + "=" + value + "\n";
  }
  return text;
}

}  // namespace tbci::runner
