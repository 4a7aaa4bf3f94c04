// The descendants of a process, wherever they put themselves.
#pragma once

#include <sys/types.h>

#include <filesystem>

namespace tbci {

/// The parent that `folder` (of /proc) tells of; 0 where that cannot be read: the process may have ended meanwhile.
pid_t parent_of(const std::filesystem::path& folder);

/// Kills a child of ours and all its descendants, those in process groups and sessions of their own too. The child must
/// not be reaped yet. Only what has left the tree (its parent ended before) and the child's group is not found.
void kill_tree(pid_t child);

}  // namespace tbci
