#include "daemon/cli/person.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

namespace tbci::daemon {

std::string person() {
  const passwd* entry = ::getpwuid(::getuid());
  return entry != nullptr ? entry->pw_name : fmt::format("user {}", ::getuid());
}

}  // namespace tbci::daemon
