// The LibTorch that this worker was built against.
#pragma once

#include <string_view>

namespace tbci::suite {

std::string_view torch_version();  // as the wheel reports it, such as 2.13.0+cpu
std::string_view torch_git();      // 40 hex digits, or empty if the build does not report it

}  // namespace tbci::suite
