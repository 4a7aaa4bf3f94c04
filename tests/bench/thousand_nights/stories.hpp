// What the commits of the simulated years do: steps, reverts, breaks, creep. Each story is of one kind.
#pragma once

#include "tests/bench/thousand_nights/history.hpp"

namespace tbci::thousand {

/// Adds the stories of the wanted kinds to a new history, and settles it. Two stories never touch the same case within
/// a few nights, so that what is expected of each is beyond doubt; creep alone may have others on top of it.
void tell_stories(const Size& size, History& history);

}  // namespace tbci::thousand
