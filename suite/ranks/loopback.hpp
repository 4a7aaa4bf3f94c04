#pragma once

#include <string>

namespace tbci::suite::ranks {

// The ranks talk by it and by nothing else. Empty if a connection over it can be made, else the reason in one line.
std::string why_no_loopback();

inline constexpr const char* loopback_address = "127.0.0.1";

}  // namespace tbci::suite::ranks
