// Variables of tbci's own environment that steer compilers: what is built with others is another build.
#pragma once

#include <map>
#include <string>

namespace tbci::runner {

/// Of these variables those that steer compilers (base/process_environment.hpp), one a line as `NAME=value`, by name;
/// empty: none of them is set, as in a service. Pure.
std::string build_variables(const std::map<std::string, std::string>& variables);

}  // namespace tbci::runner
