// Who runs the command: decisions are kept with the name of the person who made them.
#pragma once

#include <string>

namespace tbci::daemon {

/// The login name of the user, or `user 1000` where the system has none for the number.
std::string person();

}  // namespace tbci::daemon
