#include "bisect/commit_classes.hpp"

#include <map>
#include <string>

namespace tbci::bisect {

Day::Day(const std::vector<model::Commit>& commits) : commits_(commits), classes_(classes_of(commits)) {
  std::map<std::string, std::size_t> seen;
  for (std::size_t at = 0; at < classes_.size(); ++at) {
    const std::string& inputs = commit_of(at).inputs;
    binaries_.push_back(inputs.empty() ? at : seen.emplace(inputs, at).first->second);
  }
}

}  // namespace tbci::bisect
