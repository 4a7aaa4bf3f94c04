// The `.git` of a checkout, in which a build may have left anything: a filter that git would run, a changed index,
// forged objects.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.hpp"

namespace tbci::runner {

/// Takes out of `source/.git` whatever could run a program or change the files of a later checkout: settings,
/// attributes, hooks, the index, the checkout's own objects. `mirror`: the repository that has the objects. Error
/// (machine) where it is not an ordinary git folder any more: the checkout has to be made again.
Status clean_git_folder(const std::filesystem::path& source, const std::filesystem::path& mirror);

/// A digest of what steers git in the submodules of a checkout: their settings, hooks and attributes, and the files
/// that connect them with their work trees. Empty if something is there that git does not write. Equal digests: a build
/// changed nothing of it.
std::string submodules_digest(const std::filesystem::path& source);

/// Removes the submodules' repositories and what connects them.
Status remove_submodules(const std::filesystem::path& source);

}  // namespace tbci::runner
