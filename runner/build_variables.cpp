#include "runner/build_variables.hpp"

#include "base/process_environment.hpp"

namespace tbci::runner {

std::string build_variables(const std::map<std::string, std::string>& variables) {
  std::string text;
  for (const auto& [name, value] : variables) {
    if (process::steers_compilers(name) && !value.empty()) text += name + "=" + value + "\n";
  }
  return text;
}

}  // namespace tbci::runner
