// The search for the commit of any repository that changed a number.
#pragma once

#include <filesystem>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "base/process.hpp"
#include "base/progress.hpp"
#include "base/result.hpp"
#include "repo_bisect/job.hpp"
#include "storage/model/bisection.hpp"

namespace tbci::repo_bisect {

struct RepositoryAnswer {
  model::Bisection bisection;                          ///< one series, one answer, its changes as the number is printed
  std::vector<model::Probe> probes;                    ///< in the order in which they were decided
  std::map<std::string, std::vector<double>> numbers;  ///< as printed, by commit
  bool used_up = false;                                ///< --runs-at-most ended the search
  int rebuilds = 0;                                    ///< of trees that had been removed for space
};

/// Searches with everything paid for kept in `folder` (ours alone, locked meanwhile): a call after a kill goes on, a
/// call after the end gives the same answer at no cost. Errors: another process has the folder (transient), what is not
/// a commit's fault (environment), a stop (interrupted). Used up runs are an answer.
Result<RepositoryAnswer> search_repository(const RepositoryJob& job, const std::vector<model::Commit>& commits,
                                           const std::filesystem::path& folder, ProcessRunner& processes,
                                           Progress& progress, std::stop_token stop);

/// What is left in doubt where a search could not go on: the commits after the last good one, to the first bad one.
/// Empty where the bad end was not found bad.
std::vector<std::string> commits_in_doubt(const std::vector<model::Commit>& commits,
                                          const std::vector<model::Probe>& probes);

}  // namespace tbci::repo_bisect
