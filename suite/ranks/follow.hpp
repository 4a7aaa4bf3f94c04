// What a process does that another one has started as a rank.
#pragma once

#include "suite/options.hpp"

namespace tbci::suite::ranks {

// Until the first rank asks for nothing more, or ends. Returns the exit code.
int follow(const RankOptions& options);

}  // namespace tbci::suite::ranks
