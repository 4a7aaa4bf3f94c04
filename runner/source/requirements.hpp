// What a build needs from a package index, as the files of its commit say. Pure but for reading the mirror; the files
// are hostile.
#pragma once

#include <string>
#include <vector>

#include "base/git.hpp"
#include "base/result.hpp"
#include "runner/subject.hpp"

namespace tbci::runner {

/// The requirements of a commit, one a line: those of the files that it has of `settings.files`, in that order, with
/// the files that they include (`-r`), and those of `settings.packages`. Constraints (`-c`) begin with `-c `. No line
/// twice. Error (failed) names the file and the line that asks for what tbci does not give: an option of pip (an index
/// of its own, an editable package), an address or a path, a file that the commit does not have.
Result<std::vector<std::string>> requirements_of(const GitRepository& repository, const std::string& commit,
                                                 const RequirementSettings& settings);

/// Why a line cannot be a requirement; empty if it can: a name with extras, versions, a marker and digests. Pure.
std::string trouble_of_requirement(std::string_view line);

}  // namespace tbci::runner
