// The golden list of what an iteration of each GPU case costs: counts.golden beside this page.
#pragma once

#include <map>
#include <string>

#include "tests/suite/standin/counts.hpp"

namespace tbci::suite::standin {

// What the list says of a case.
struct Entry {
  std::string counts;  // "launches to_device to_host waits", or "unsupported"
  std::string origin;  // who waits or copies: "original", "ours", "unknown"; "-" where nobody does. By hand.
  std::string detail;  // the waits by operator, or why it is unsupported
};

using Golden = std::map<std::string, Entry>;  // by the name of the case: alexnet/gpu-train

Entry entry_of(const Counts& counts);
Entry unsupported(const std::string& why);

Golden read_golden(const std::string& path);

// Puts the entries into the file. What was judged of a case stays, unless it no longer waits or copies.
void update_golden(const std::string& path, const Golden& entries);

}  // namespace tbci::suite::standin
