// What `tbci bisect --repository` prints: its plan and its answer, for people and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "bisect/commit_classes.hpp"
#include "bisect/commit_details.hpp"
#include "repo_bisect/job.hpp"
#include "repo_bisect/repository_search.hpp"

namespace tbci::daemon {

struct RepositoryPlan {
  std::vector<bisect::CommitClass> classes;
  std::vector<bisect::CommitDetails> details;
  int expected_builds = 0, worst_case_builds = 0;  ///< the ends included; worst: hardly anything builds
};

/// Reads the repository and builds nothing. Errors as those of details_of.
Result<RepositoryPlan> plan_of(const repo_bisect::RepositoryJob& job, const std::vector<model::Commit>& commits);
nlohmann::json json_of(const RepositoryPlan& plan, const std::vector<model::Commit>& commits);
std::string text_of(const RepositoryPlan& plan, const std::vector<model::Commit>& commits);

nlohmann::json json_of(const repo_bisect::RepositoryJob& job, const repo_bisect::RepositoryAnswer& answer);
std::string text_of(const repo_bisect::RepositoryJob& job, const repo_bisect::RepositoryAnswer& answer,
                    const std::vector<model::Commit>& commits);

}  // namespace tbci::daemon
