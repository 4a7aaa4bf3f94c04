// `tbci bisect --repository`: any repository, any command, no configuration.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "daemon/cli/application.hpp"

namespace tbci::daemon {

/// The options that `--repository` brings, and those of the history and its builds that a subject has as well.
struct RepositoryOptions {
  std::string repository, build, measure, unit, log_file;
  std::vector<std::string> compiled;
  bool all = false, higher_is_better = false;
  bool first_parent = false;  ///< the default, said aloud
  int runs_at_most = 0, jobs = 0;
  double build_timeout_seconds = 0, measure_timeout_seconds = 0;  ///< 0: the default
  double disk_budget_gib = 20;
};

/// --jobs, --log, --all, --first-parent
void add_history_options(CLI::App& command, RepositoryOptions& options);
void add_repository_options(CLI::App& command, RepositoryOptions& options);

/// What it shares with the bisection of a subject.
struct RepositoryRequest {
  std::string from, to;
  double threshold = 0;  ///< 0: the default
  bool dry_run = false, again = false;
};

Result<int> bisect_repository(const Invocation& invocation, const RepositoryOptions& options,
                              const RepositoryRequest& request, std::stop_token stop);

}  // namespace tbci::daemon
