// Which branches and tags of a repository its mirror has. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tbci::runner {

/// Why `ref` cannot be one that a mirror has; empty if it can: `refs/heads/main`, or with one star for any text in its
/// place, slashes included, `refs/tags/v*`.
std::string trouble_of_ref(std::string_view ref);

/// Whether one of the refs, which may have a star, is the branch.
bool has_branch(std::span<const std::string> refs, std::string_view branch);

/// What `git fetch` is asked for, each under the same name in the mirror. Without refs: all branches and tags, and not
/// refs/pull, of which there may be hundreds of thousands.
std::vector<std::string> refspecs_of(std::span<const std::string> refs);

}  // namespace tbci::runner
