// A timeline, and its graph, as lines of the worker protocol.
#pragma once

#include <functional>
#include <string>

#include "suite/timeline/timeline.hpp"

namespace tbci::suite {

// Hands over the lines of the timeline one by one, each a JSON object of at most 32 KiB without the newline:
// docs/worker-protocol.md. Pure.
void write_timeline(const Timeline& timeline, const std::function<void(const std::string&)>& write);

// The same of a timeline of one iteration, with what waits for what.
void write_graph(const Timeline& timeline, const std::function<void(const std::string&)>& write);

}  // namespace tbci::suite
