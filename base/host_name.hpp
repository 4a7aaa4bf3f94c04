// The name of this machine.
#pragma once

#include <string>

namespace tbci {

/// As gethostname(2) says it; `unknown` where that fails.
std::string host_name();

}  // namespace tbci
