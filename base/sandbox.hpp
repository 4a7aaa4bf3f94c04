// Lets a process write to some folders only, and keeps it from reading some files (Landlock, a security module of
// Linux).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "base/result.hpp"

namespace tbci {

/// What this kernel offers.
struct SandboxSupport {
  int version = 0;      ///< of Landlock's interface; 0: processes cannot be restricted
  std::string missing;  ///< why they cannot be, or what an older version cannot forbid; empty: nothing is missing
};
/// Asks the kernel. Thread-safe.
SandboxSupport sandbox_support();
/// Judges the kernel's answer: the version, or the negative number of the error. Pure.
SandboxSupport judge_sandbox(long answer);

/// A set of rules that a child applies to itself. It may read all but `hidden` (absolute paths of files and folders,
/// which need not exist); what appears beside those, or beside a folder that holds one, while it runs, it cannot read
/// either. See docs/decisions/0020-children.md for what is not restricted. Not open where the kernel cannot restrict
/// processes. Error (machine): one of the folders does not exist. Adds /proc/self of the child, the devices that any
/// program may write to (null, random numbers, GPUs) and shared memory.
Result<Descriptor> make_sandbox(const std::vector<std::filesystem::path>& writable,
                                const std::vector<std::filesystem::path>& hidden = {});

/// Restricts the calling thread, its children and the programs that they start, for ever. May be called between fork
/// and exec. False, with errno, where the kernel refuses.
bool enter_sandbox(const Descriptor& rules);

}  // namespace tbci
