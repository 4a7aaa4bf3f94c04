// `tbci bisect --repository`: any repository, any command, no configuration.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "daemon/cli/application.hpp"

namespace tbci::daemon {

/// The options that need `--repository`, and those of history and builds, which also apply to a subject.
struct RepositoryOptions {
  std::string repository, build, measure, unit, log_file;
  std::vector<std::string> compiled;
  bool all = false, higher_is_better = false;
  bool first_parent = false;  ///< the default; the flag only makes it explicit
  int measurements_at_most = 0, jobs = 0;
  double build_timeout_seconds = 0, measure_timeout_seconds = 0;  ///< 0: the default
  double disk_budget_gib = 20;
};

/// --jobs, --log, --all, --first-parent
void add_history_options(CLI::App& command, RepositoryOptions& options);
void add_repository_options(CLI::App& command, RepositoryOptions& options);

/// The options of every bisection, with `--repository` or of a subject.
struct RepositoryRequest {
  std::string from, to;
  double threshold = 0;  ///< 0: the default
  bool dry_run = false, again = false;
};

Result<ExitCode> bisect_repository(const Invocation& invocation, const RepositoryOptions& options,
                                   const RepositoryRequest& request, std::stop_token stop);

}  // namespace tbci::daemon
