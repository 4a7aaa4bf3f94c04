// The two ends of a night's search.
#pragma once

#include <string>

#include "pipeline/measure/measuring.hpp"
#include "pipeline/subject_context.hpp"

namespace tbci::pipeline {

/// Why there is nothing to bisect between two builds; empty: there is.
std::string no_way_to_bisect(const SubjectContext& context, const Comparison& builds);

/// An error, `transient`, where the repository lacks one of the commits: a mirror of it may lag behind the nightlies,
/// and a disk may not be mounted. Whether history has a way between the two is another question.
Status commits_are_there(SubjectContext& context, const std::string& from, const std::string& to);

/// The commit to search from: `from` or, where main was rewound since and `to` does not descend from it, the last
/// commit that both have. Error (usage): they share no history, or `to` has nothing that `from` has not.
Result<std::string> search_start(SubjectContext& context, const std::string& from, const std::string& to);

/// A build as the store knows it: a search needs its commit, not its files. What was measured is known there, also
/// where the index has forgotten it. Else it is made.
Result<model::Build> end_of_search(SubjectContext& context, const std::string& name);

}  // namespace tbci::pipeline
