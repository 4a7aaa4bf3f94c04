// Which of our own environment variables a child inherits.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/process.hpp"

namespace tbci::process {

/// Whether a child inherits `NAME=value`. Pure.
bool is_inherited(std::string_view name, std::string_view value, Inherited inherited);

/// Whether a build with another value of this variable is another build: compilers and build systems read it, and not
/// only for how fast they are. Pure.
bool steers_compilers(std::string_view name);

/// The whole environment of the command's child, as `NAME=value`.
std::vector<std::string> child_environment(const Command& command);

}  // namespace tbci::process
