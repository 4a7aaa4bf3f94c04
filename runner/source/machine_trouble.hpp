// Tells from what build tools say whether the machine, and not the source, made a build fail.
#pragma once

#include <string>
#include <string_view>

namespace tbci::runner {

/// How the reason begins if the network failed.
inline constexpr std::string_view network_trouble = "the network failed";

/// How the message begins where the Python that makes packages of AOTInductor is at fault (aoti_package.hpp).
inline constexpr std::string_view python_trouble = "the Python that makes packages does not work";

/// Why the machine and not the source caused the failure (no disk space, no memory, no network, a missing tool), with
/// the line that says so; empty if it did not. `log` is what compilers, linkers, build tools, git, pip and others
/// printed; it is hostile. Where a compiler names a place in the source, only sure signs count: a full disk, or a
/// process that was killed. Pure.
std::string machine_trouble(std::string_view log);

/// The same of what a worker printed. What it used up itself (memory, processes, files), and a tool that it misses, is
/// its own doing: that is not trouble of the machine. Pure.
std::string machine_trouble_of_worker(std::string_view log);

}  // namespace tbci::runner
