// Searches any repository for the commit that changed a number.
#pragma once

#include <filesystem>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/process.hpp"
#include "base/progress.hpp"
#include "base/result.hpp"
#include "repo_bisect/job.hpp"
#include "storage/model/bisection.hpp"

namespace tbci::repo_bisect {

struct RepositoryAnswer {
  model::Bisection bisection;        ///< one series, one answer; its changes are those of the printed number
  std::vector<model::Probe> probes;  ///< in the order in which they were judged
  std::map<std::string, std::vector<double>> numbers;  ///< as printed, by commit
  bool used_up = false;                                ///< the search ended at --measurements-at-most
  int rebuilds = 0;                                    ///< rebuilds of trees that were removed to save space
};

/// Searches, and keeps all results in `folder`, which it locks: a call after a kill resumes the search, a call after
/// its end returns the same answer at no cost. Errors: another process uses the folder (transient), a failure that is
/// not a commit's fault (machine), a stop (interrupted). Reaching the limit on measurements gives an answer and not
/// an error.
Result<RepositoryAnswer> search_repository(const RepositoryJob& job, const std::vector<model::Commit>& commits,
                                           const std::filesystem::path& folder, ProcessRunner& processes,
                                           const Clock& clock, Progress& progress, std::stop_token stop);

/// The commits still in doubt when a search stops early: those after the last good commit, up to the first bad one.
/// Empty if the bad end was not found bad.
std::vector<std::string> commits_in_doubt(const std::vector<model::Commit>& commits,
                                          const std::vector<model::Probe>& probes);

}  // namespace tbci::repo_bisect
