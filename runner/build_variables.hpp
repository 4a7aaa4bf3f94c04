// Variables of tbci's own environment that steer compilers: what is built with others is another build.
#pragma once

#include <map>
#include <string>

namespace tbci::runner {

/// Of these variables those that compilers and build systems read, one a line as `NAME=value`, by name; empty: none is
/// set, as in a service. Not those that change how fast a build is made, and not its product. Pure.
std::string build_variables(const std::map<std::string, std::string>& variables);

}  // namespace tbci::runner
