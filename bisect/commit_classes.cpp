#include "bisect/commit_classes.hpp"

#include <map>
#include <string>

namespace tbci::bisect {

std::vector<CommitClass> classes_of(std::span<const model::Commit> commits) {
  std::vector<CommitClass> classes;
  for (std::size_t i = 0; i < commits.size(); ++i) {
    const bool as_before = i > 0 && !commits[i].inputs.empty() && commits[i].inputs == commits[i - 1].inputs;
    if (!as_before) classes.emplace_back();
    classes.back().commits.push_back(i);
  }
  return classes;
}

CommitClasses::CommitClasses(const std::vector<model::Commit>& commits)
    : commits_(commits), classes_(classes_of(commits)) {
  std::map<std::string, std::size_t> seen;
  for (std::size_t at = 0; at < classes_.size(); ++at) {
    const std::string& inputs = commit_of(at).inputs;
    binaries_.push_back(inputs.empty() ? at : seen.emplace(inputs, at).first->second);
  }
}

}  // namespace tbci::bisect
