// The descendants of a process, wherever they put themselves.
#pragma once

#include <sys/types.h>

#include <filesystem>

namespace tbci {

/// The parent according to `folder` (in /proc); 0 where it cannot be read, as when the process has just ended.
pid_t parent_of(const std::filesystem::path& folder);

/// Kills a child of ours and all its descendants, including those in process groups and sessions of their own. The
/// child must not be reaped yet. It does not find a process that left the child's group and whose parent has ended.
void kill_tree(pid_t child);

}  // namespace tbci
