#include "daemon/cli/bisect_repository.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/file.hpp"
#include "base/git.hpp"
#include "base/text.hpp"
#include "daemon/cli/json.hpp"
#include "daemon/cli/option_values.hpp"
#include "daemon/cli/repository_text.hpp"
#include "repo_bisect/bisect_log.hpp"
#include "repo_bisect/repository_search.hpp"
#include "runner/shell_split.hpp"

namespace tbci::daemon {

namespace {

namespace fs = std::filesystem;

Result<fs::path> state_root(const Invocation& invocation) {
  if (!invocation.state.empty()) return fs::absolute(invocation.state).lexically_normal();
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state == '/')
    return fs::path(state) / "tbci";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/')
    return fs::path(home) / ".local/state/tbci";
  return fail(ErrorKind::usage, "neither XDG_STATE_HOME nor HOME is set: choose a folder with --state");
}

std::chrono::milliseconds seconds_or(double seconds, std::chrono::milliseconds otherwise) {
  // At most a year, so that no duration overflows.
  return seconds > 0 ? std::chrono::milliseconds(std::llround(std::min(seconds, 3.15e7) * 1000)) : otherwise;
}

/// The work tree or bare repository at the path.
Result<fs::path> repository_at(const std::string& path) {
  std::error_code error;
  const fs::path canonical = fs::canonical(path, error);
  if (error) return fail(ErrorKind::usage, "no git repository at {}: {}", path, error.message());
  const auto opened = GitRepository::open(canonical);
  if (opened) return canonical;
  for (fs::path above = canonical.parent_path(); above != above.root_path(); above = above.parent_path()) {
    if (GitRepository::open(above))
      return fail(ErrorKind::usage, "{} is inside the git repository {}: use that path", path, above.string());
  }
  return pass_on(Error(opened.error()));
}

// A search by patterns that choose no file would answer that nothing differs.
Status check_patterns(const GitRepository& repository, const repo_bisect::RepositoryJob& job) {
  if (job.compiled.empty()) return {};
  for (const std::string& commit : {job.from, job.to}) {
    TBCI_ASSIGN(const std::string inputs, repository.compiled_inputs(commit, job.compiled));
    if (inputs != sha256_hex("")) return {};
  }
  return fail(ErrorKind::usage, "--compiled {}: no file of {} or {} has such a path; correct the patterns",
              join(job.compiled, ","), job.from.substr(0, 12), job.to.substr(0, 12));
}

Result<repo_bisect::RepositoryJob> job_of(const RepositoryOptions& options, const RepositoryRequest& request) {
  repo_bisect::RepositoryJob job;
  TBCI_ASSIGN(job.repository, repository_at(options.repository));
  TBCI_ASSIGN(const auto repository, GitRepository::open(job.repository));
  TBCI_ASSIGN(const GitCommit from, repository.resolve(request.from));
  TBCI_ASSIGN(const GitCommit to, repository.resolve(request.to));
  job.from = from.id;
  job.to = to.id;
  job.lineage = options.all ? bisect::Lineage::all : bisect::Lineage::first_parent;
  job.compiled = options.compiled;
  TBCI_TRY(check_patterns(repository, job));
  const std::string module_file[] = {".gitmodules"};
  TBCI_ASSIGN(const std::string modules, repository.compiled_inputs(job.to, module_file));
  job.submodules = modules != sha256_hex("");
  if (!options.build.empty()) {
    TBCI_ASSIGN(job.build, runner::shell_split(options.build));
  }
  if (!options.measure.empty()) {
    TBCI_ASSIGN(job.measure, runner::shell_split(options.measure));
  }
  if (job.measure.empty() && !request.dry_run)
    return fail(ErrorKind::usage,
                "--repository needs --measure: a command that prints the number, as in './bench --once'");
  job.jobs = options.jobs;
  job.build_limit = seconds_or(options.build_timeout_seconds, job.build_limit);
  job.measure_limit = seconds_or(options.measure_timeout_seconds, job.measure_limit);
  if (request.threshold > 0) job.threshold = request.threshold;
  if (options.higher_is_better && job.threshold >= 1)
    return fail(ErrorKind::usage, "--threshold {}: with --higher-is-better it must be below 1", job.threshold);
  job.higher_is_better = options.higher_is_better;
  job.unit = one_line(options.unit, 40);
  job.measurements_at_most = options.measurements_at_most;
  job.kept_trees_bytes = static_cast<std::uint64_t>(options.disk_budget_gib * 1024 * 1024 * 1024);
  return job;
}

Status forget(const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(folder, error)) return {};
  TBCI_ASSIGN(const FileLock lock, FileLock::acquire(folder / "lock"));
  fs::remove(folder / "journal.jsonl", error);
  fs::remove_all(folder / "trees", error);
  if (error) return fail(ErrorKind::machine, "cannot remove {}: {}", (folder / "trees").string(), error.message());
  return {};
}

}  // namespace

Result<ExitCode> bisect_repository(const Invocation& invocation, const RepositoryOptions& options,
                                   const RepositoryRequest& request, std::stop_token stop) {
  TBCI_ASSIGN(const repo_bisect::RepositoryJob job, job_of(options, request));
  TBCI_ASSIGN(const auto commits, bisect::commits_between(job.repository, job.from, job.to, job.compiled, job.lineage));
  if (request.dry_run) {
    TBCI_ASSIGN(const RepositoryPlan plan, plan_of(job, commits));
    if (invocation.json) print_json(json_of(plan, commits));
    if (!invocation.json) fmt::print("{}", text_of(plan, commits));
    return ExitCode::success;
  }
  TBCI_ASSIGN(const fs::path root, state_root(invocation));
  const fs::path folder = root / "bisect" / repo_bisect::name_of(job);
  if (request.again) TBCI_TRY(forget(folder));
  SystemProcessRunner processes;
  const auto progress = make_progress(invocation);
  TBCI_ASSIGN(
      const repo_bisect::RepositoryAnswer answer,
      repo_bisect::search_repository(job, commits, folder, processes, *invocation.clock, *progress, std::move(stop)));
  const model::Answer& found = answer.bisection.answers.front();
  if (!options.log_file.empty())
    TBCI_TRY(write_file_atomically(options.log_file,
                                   repo_bisect::git_bisect_log(commits, answer.probes, found, job.lineage)));
  if (invocation.json) print_json(json_of(job, answer));
  if (!invocation.json) fmt::print("{}", text_of(job, answer, commits));
  return found.suspects.empty() && !answer.used_up ? ExitCode::success : ExitCode::negative;
}

void add_history_options(CLI::App& command, RepositoryOptions& options) {
  command
      .add_option("--jobs", options.jobs,
                  "Compilers that run at a time ({jobs} of a recipe; with --repository: MAKEFLAGS and "
                  "CMAKE_BUILD_PARALLEL_LEVEL)")
      ->check(whole_number(1, 4096))
      ->type_name("N");
  command.add_option("--log", options.log_file, "Write the search in the format of `git bisect log`")
      ->type_name("FILE");
  auto* all = command.add_flag("--all", options.all, "Search every commit between the ends, by commit time");
  command
      .add_flag("--first-parent", options.first_parent,
                "Search only the commits that landed on the branch (the default)")
      ->excludes(all);
}

void add_repository_options(CLI::App& command, RepositoryOptions& options) {
  const std::string group = "Any repository, any command";
  auto* repository = command
                         .add_option("--repository", options.repository,
                                     "Bisect this git repository, without a configuration; its checkout stays as it is")
                         ->type_name("DIR")
                         ->group(group);
  const auto belongs = [&](CLI::Option* option) { return option->needs(repository)->group(group); };
  belongs(command.add_option("--build", options.build,
                             "Command that builds a checkout; exit code 125: skip it, any other: it does not build"))
      ->type_name("COMMAND");
  belongs(command.add_option(
              "--measure", options.measure,
              "Command that measures a built checkout: its last line is a number, or it speaks the worker protocol"))
      ->type_name("COMMAND");
  belongs(command.add_option("--compiled", options.compiled,
                             "Paths that the number depends on ('src/**,Makefile'); other commits need no build"))
      ->type_name("PATTERN")
      ->delimiter(',');
  belongs(
      command.add_flag("--higher-is-better", options.higher_is_better, "The number is a throughput: smaller is worse"));
  belongs(command.add_option("--unit", options.unit, "Unit of the number: ns, us, ms, s, bytes or any word"))
      ->type_name("UNIT");
  belongs(command.add_option("--measurements-at-most", options.measurements_at_most,
                             "Stop after N measurements, and name the commits that are still in doubt"))
      ->check(whole_number(1, 1'000'000'000))
      ->type_name("N");
  belongs(command.add_option("--build-timeout", options.build_timeout_seconds,
                             "Longest build; a longer one counts as broken (default: 4 h)"))
      ->check(real_number(0.001))
      ->type_name("SECONDS");
  belongs(command.add_option("--measure-timeout", options.measure_timeout_seconds,
                             "Longest measurement; a longer one counts as failed (default: 10 min)"))
      ->check(real_number(0.001))
      ->type_name("SECONDS");
  belongs(command.add_option("--disk-budget", options.disk_budget_gib,
                             "Disk space for the built checkouts that are kept (default: 20)"))
      ->check(real_number(0.0, 1e6))
      ->type_name("GIB");
  for (const char* of_a_subject : {"--subject", "--benchmarks", "--configurations", "--precision", "--processes",
                                   "--metric", "--series", "--report", "--verify-revert"})
    repository->excludes(command.get_option(of_a_subject));
}

}  // namespace tbci::daemon
