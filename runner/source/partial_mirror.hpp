// A mirror without what is in the files ("blobless partial clone" in git's words): the whole history and all names, and
// of the contents only those of commits that were needed. The mirror of a large repository stays small so.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>

#include "base/result.hpp"
#include "runner/source/git_tool.hpp"

namespace tbci::runner {

/// Whether a mirror lacks contents. Once it does, it always may: fetches by an earlier configuration left them away.
bool is_partial_mirror(const std::filesystem::path& mirror);

/// From now on fetches leave contents away; a server that can't do that sends everything. What the mirror has stays.
Status make_partial_mirror(const GitTool& git, const std::filesystem::path& mirror, std::stop_token stop);

/// Fetches, all at once, the contents of a commit's files that the mirror lacks. `wanted` is a file of its own, beside
/// the mirror. Does nothing to a mirror that is whole. The caller has locked the mirror. Errors as of GitTool.
Status bring_contents(const GitTool& git, const std::filesystem::path& mirror, const std::string& commit,
                      const std::filesystem::path& wanted, std::stop_token stop);

}  // namespace tbci::runner
