// Internal to base: the guard, a small process between tbci and each child. Whatever the child starts becomes the
// guard's when its own parent ends, so the guard finds and ends all of it (docs/decisions/0020-children.md).
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

namespace tbci::process {

/// What the guard sends before it ends.
struct GuardReport {
  bool ended = false;  ///< false: the child was killed, and did not end within the limit
  int status = 0;      ///< of the child, as wait(2) gives it
  rusage usage{};      ///< of the child and those that it waited for
};

/// In the forked guard, before it forks the child: orphans below come to this process, signals do not interrupt it.
/// Only calls that are safe after the fork of a process with threads; the same holds for `guard`.
void become_guard();

/// Waits until the child ends, or until `connection` is readable or closed. Then kills whatever is left of the child
/// and its descendants, for at most `limit_ms`, sends a GuardReport and ends.
[[noreturn]] void guard(pid_t child, int connection, long limit_ms);

/// Kills the children of this process and the process groups they are in, once. `proc` is an open /proc. `spared`:
/// those of this session, which are guards, stay.
void kill_children(int proc, bool spare_own_session);

}  // namespace tbci::process
