// Processes by their parents.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>

namespace tbci {

/// The parent according to `folder` (in /proc); 0 where it cannot be read, as when the process has just ended.
pid_t parent_of(const std::filesystem::path& folder);

/// Takes the end of a child in our session that was killed. Where it does not come within the limit, a later
/// `take_in_orphans` takes it. Thread-safe.
void bury(pid_t child, std::chrono::milliseconds limit);

/// What to do with orphans that still run.
enum class Orphans { spare, kill };
/// Takes the ends of processes that became our children because their own parents ended: of all that are not in our
/// session, where only guards are. They come where a guard was killed, and to process 1 of a container.
void take_in_orphans(Orphans running);

}  // namespace tbci
