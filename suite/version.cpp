#include "suite/version.hpp"

namespace tbci::suite {

std::string_view torch_version() {
  return TBCI_TORCH_VERSION;
}

std::string_view torch_git() {
  return TBCI_TORCH_GIT;
}

}  // namespace tbci::suite
