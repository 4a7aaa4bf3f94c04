// The search for the culprits of some series between two commits, with everything that it learns kept.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "pipeline/subject_context.hpp"
#include "storage/model/bisection.hpp"

namespace tbci::pipeline {

struct SearchPlan {
  std::string key;       ///< names the search: the same key resumes it, or returns its answers
  std::string from, to;  ///< commits: good end, bad end
  std::vector<model::Series> series;
  bool improvements = false;                      ///< what became better is searched as well
  std::map<model::Series, double> expected = {};  ///< see bisect::SearchSettings
};

/// Runs the search to its end (or finds it finished). Error where there is no way between the commits, or the work had
/// to stop: the next call goes on.
Result<model::Bisection> bisect_range(SubjectContext& context, const SearchPlan& plan);

}  // namespace tbci::pipeline
