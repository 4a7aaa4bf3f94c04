#include "bisect/commit_classes.hpp"

#include <fmt/format.h>

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

std::string same_inputs_text(std::span<const model::Commit> commits) {
  return fmt::format(
      "no file that is compiled differs between {} and {}: the cause is in none of these commits, but in the packaging "
      "or the environment",
      commits.front().id.substr(0, 12), commits.back().id.substr(0, 12));
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
