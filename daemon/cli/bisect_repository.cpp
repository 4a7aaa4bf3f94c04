#include "daemon/cli/bisect_repository.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/git.hpp"
#include "base/text.hpp"
#include "bisect/commit_details.hpp"
#include "bisect/search.hpp"
#include "daemon/anyrepo/bisect_log.hpp"
#include "daemon/anyrepo/repository_search.hpp"
#include "daemon/cli/json.hpp"
#include "daemon/cli/table.hpp"
#include "runner/command_line_words.hpp"
#include "storage/model/measurement.hpp"

namespace tbci::daemon {

namespace {

namespace fs = std::filesystem;

Result<fs::path> state_root(const Invocation& invocation) {
  if (!invocation.state.empty()) return fs::absolute(invocation.state).lexically_normal();
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state == '/')
    return fs::path(state) / "tbci";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/')
    return fs::path(home) / ".local/state/tbci";
  return fail(ErrorKind::usage, "neither XDG_STATE_HOME nor HOME is set: name a folder with --state");
}

std::chrono::milliseconds seconds_or(double seconds, std::chrono::milliseconds otherwise) {
  // A year is as good as for ever, and no duration overflows.
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
      return fail(ErrorKind::usage, "{} lies inside the git repository {}: name that", path, above.string());
  }
  return pass_on(Error(opened.error()));
}

Result<RepositoryJob> job_of(const RepositoryOptions& options, const RepositoryRequest& request) {
  RepositoryJob job;
  TBCI_ASSIGN(job.repository, repository_at(options.repository));
  TBCI_ASSIGN(const auto repository, GitRepository::open(job.repository));
  TBCI_ASSIGN(const GitCommit from, repository.resolve(request.from));
  TBCI_ASSIGN(const GitCommit to, repository.resolve(request.to));
  job.from = from.id;
  job.to = to.id;
  job.lineage = options.all ? bisect::Lineage::all : bisect::Lineage::first_parent;
  job.compiled = options.compiled;
  const std::string module_file[] = {".gitmodules"};
  TBCI_ASSIGN(const std::string modules, repository.compiled_inputs(job.to, module_file));
  job.submodules = modules != sha256_hex("");
  if (!options.build.empty()) {
    TBCI_ASSIGN(job.build, runner::words_of(options.build));
  }
  if (!options.measure.empty()) {
    TBCI_ASSIGN(job.measure, runner::words_of(options.measure));
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
  job.runs_at_most = options.runs_at_most;
  job.kept_trees_bytes = static_cast<std::uint64_t>(options.disk_budget_gib * 1024 * 1024 * 1024);
  return job;
}

// The plan.

struct Plan {
  std::vector<bisect::CommitClass> classes;
  std::vector<bisect::CommitDetails> details;
  int expected_builds = 0, worst_case_builds = 0;  ///< the ends included; worst: hardly anything builds
};

Result<Plan> plan_of(const RepositoryJob& job, const std::vector<model::Commit>& commits) {
  Plan plan{bisect::classes_of(commits), {}, 0, 0};
  TBCI_ASSIGN(plan.details, bisect::details_of(job.repository, commits));
  const std::size_t steps = plan.classes.size() - 1;
  if (steps > 0) plan.expected_builds = 2 + static_cast<int>(std::ceil(std::log2(static_cast<double>(steps))));
  plan.worst_case_builds = steps > 0 ? static_cast<int>(plan.classes.size()) : 0;
  return plan;
}

nlohmann::json json_of(const Plan& plan, const std::vector<model::Commit>& commits) {
  nlohmann::json rows = nlohmann::json::array();
  for (std::size_t number = 0; number < plan.classes.size(); ++number) {
    for (const std::size_t i : plan.classes[number].commits) {
      const bisect::CommitDetails& details = plan.details[i];
      rows.push_back({{"commit", commits[i].id},
                      {"class", number},
                      {"author", commits[i].author},
                      {"time", to_iso8601(commits[i].time)},
                      {"subject", commits[i].subject},
                      {"touched", details.touched}});
      if (details.pull_request) rows.back()["pull_request"] = *details.pull_request;
    }
  }
  return {{"from", commits.front().id},
          {"to", commits.back().id},
          {"commits", commits.size() - 1},
          {"distinct_builds", plan.classes.size()},
          {"expected_builds", plan.expected_builds},
          {"worst_case_builds", plan.worst_case_builds},
          {"history", rows}};
}

std::string text_of(const Plan& plan, const std::vector<model::Commit>& commits) {
  Table table({{"class", Align::right}, {"commit"}, {"date"}, {"pull request", Align::right}, {"author"}, {"subject"}});
  for (std::size_t number = 0; number < plan.classes.size(); ++number) {
    for (const std::size_t i : plan.classes[number].commits) {
      const auto& pull_request = plan.details[i].pull_request;
      table.add({std::to_string(number), commits[i].id.substr(0, 12), to_date(commits[i].time),
                 pull_request ? fmt::format("#{}", *pull_request) : "", one_line(commits[i].author, 24),
                 one_line(commits[i].subject, 60)});
    }
  }
  return table.text() +
         fmt::format(
             "{} commits, {} of them differ in what is compiled; about {} builds, {} at worst, the ends included\n",
             commits.size() - 1, plan.classes.size() - 1, plan.expected_builds, plan.worst_case_builds);
}

// The answer.

std::string certainty(double posterior) {
  if (posterior <= 0) return "";
  // What rounds to 100% is not.
  return posterior > 0.9999 ? ", more than 99.99% certain" : fmt::format(", {:.2f}% certain", 100 * posterior);
}

std::string figures(const model::FoundStep& step) {
  return fmt::format("{} ({} .. {}){}", human_change(step.change), human_change(step.low), human_change(step.high),
                     certainty(step.posterior));
}

std::string numbers_at(const RepositoryJob& job, const RepositoryAnswer& answer, const std::string& commit) {
  const auto found = answer.numbers.find(commit);
  if (found == answer.numbers.end()) return "";
  return readable_number(job.unit, model::median(found->second));
}

std::string line_of(const std::vector<model::Commit>& commits, const std::string& id) {
  for (const model::Commit& commit : commits) {
    if (commit.id == id)
      return fmt::format("{} {} {}: {}", id, to_date(commit.time), one_line(commit.author, 40),
                         one_line(commit.subject, 100));
  }
  return id;
}

std::string text_of(const model::FoundStep& step, const std::vector<model::Commit>& commits) {
  const std::string_view what = step.repair ? "a part of the change was taken back" : "the change came";
  if (step.suspects.size() == 1)
    return fmt::format("{} with\n  {}\n  {}\n", what, line_of(commits, step.suspects.front()), figures(step));
  std::string text = fmt::format("{} with one of {} commits that can't be told apart:\n", what, step.suspects.size());
  for (const std::string& suspect : step.suspects) text += fmt::format("  {}\n", line_of(commits, suspect));
  text += fmt::format("  {}\n", figures(step));
  return step.reason.empty() ? text : text + fmt::format("  ({})\n", one_line(step.reason, 400));
}

std::string text_of(const RepositoryJob& job, const RepositoryAnswer& answer,
                    const std::vector<model::Commit>& commits) {
  const model::Answer& found = answer.bisection.answers.front();
  std::string text;
  if (found.suspects.empty()) {
    text = fmt::format("{}: {}\n", answer.used_up ? "undecided" : "no culprit", one_line(found.reason, 400));
  }
  for (const model::FoundStep& step : model::steps_of(found)) text += text_of(step, commits);
  const std::string good = numbers_at(job, answer, job.from), bad = numbers_at(job, answer, job.to);
  if (!good.empty() && !bad.empty()) text += fmt::format("{} at the good end, {} at the bad one\n", good, bad);
  text += fmt::format("{}, {}", counted(answer.bisection.builds, "build"),
                      counted(answer.bisection.measurements, "measurement"));
  if (answer.rebuilds > 0) text += fmt::format(", {} built again", counted(answer.rebuilds, "tree"));
  return text + "\n";
}

nlohmann::json json_of(const RepositoryJob& job, const RepositoryAnswer& answer) {
  nlohmann::json json = answers_json(answer.bisection);
  // There is one number, and it has no name.
  for (const char* list : {"culprits", "without_culprit", "answers"}) {
    for (nlohmann::json& one : json[list]) one.erase("series");
  }
  json["unit"] = job.unit;
  for (const auto& [name, commit] : {std::pair("good", job.from), std::pair("bad", job.to)}) {
    const auto found = answer.numbers.find(commit);
    json[name] = found == answer.numbers.end() ? nlohmann::json() : nlohmann::json(model::median(found->second));
  }
  return json;
}

Status forget(const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(folder, error)) return {};
  TBCI_ASSIGN(const FileLock lock, FileLock::acquire(folder / "lock"));
  fs::remove(folder / "journal.jsonl", error);
  fs::remove_all(folder / "trees", error);
  if (error) return fail(ErrorKind::environment, "cannot remove {}: {}", (folder / "trees").string(), error.message());
  return {};
}

}  // namespace

Result<int> bisect_repository(const Invocation& invocation, const RepositoryOptions& options,
                              const RepositoryRequest& request, std::stop_token stop) {
  TBCI_ASSIGN(const RepositoryJob job, job_of(options, request));
  TBCI_ASSIGN(const auto commits, bisect::commits_between(job.repository, job.from, job.to, job.compiled, job.lineage));
  if (request.dry_run) {
    TBCI_ASSIGN(const Plan plan, plan_of(job, commits));
    if (invocation.json) print_json(json_of(plan, commits));
    if (!invocation.json) fmt::print("{}", text_of(plan, commits));
    return success;
  }
  TBCI_ASSIGN(const fs::path root, state_root(invocation));
  const fs::path folder = root / "bisect" / name_of(job);
  if (request.again) TBCI_TRY(forget(folder));
  SystemProcessRunner processes;
  const auto progress = make_progress(invocation);
  TBCI_ASSIGN(const RepositoryAnswer answer,
              search_repository(job, commits, folder, processes, *progress, std::move(stop)));
  const model::Answer& found = answer.bisection.answers.front();
  if (!options.log_file.empty())
    TBCI_TRY(write_file_atomically(options.log_file, git_bisect_log(commits, answer.probes, found, job.lineage)));
  if (invocation.json) print_json(json_of(job, answer));
  if (!invocation.json) fmt::print("{}", text_of(job, answer, commits));
  return found.suspects.empty() && !answer.used_up ? success : negative;
}

void add_repository_options(CLI::App& command, RepositoryOptions& options) {
  const std::string group = "Any repository, any command";
  auto* repository =
      command
          .add_option("--repository", options.repository,
                      "Bisect this git repository; needs no configuration and never touches its checkout")
          ->type_name("DIR")
          ->group(group);
  const auto belongs = [&](CLI::Option* option) { return option->needs(repository)->group(group); };
  belongs(command.add_option("--build", options.build,
                             "How a checkout is built; 125: skip, any other code: it does not build"))
      ->type_name("COMMAND");
  belongs(command.add_option("--measure", options.measure,
                             "Run in the built checkout; its last line is a number, or it speaks the worker protocol"))
      ->type_name("COMMAND");
  belongs(command.add_option("--compiled", options.compiled,
                             "Paths that the number depends on ('src/**,Makefile'); commits of others cost no build"))
      ->type_name("PATTERN")
      ->delimiter(',');
  belongs(command.add_flag("--higher-is-better", options.higher_is_better, "A throughput: smaller is worse"));
  belongs(command.add_option("--unit", options.unit, "Of the number: ns, us, ms, s, bytes or any word"))
      ->type_name("UNIT");
  belongs(command.add_option("--runs-at-most", options.runs_at_most, "Then answer with the commits left in doubt"))
      ->check(CLI::PositiveNumber)
      ->type_name("N");
  belongs(command.add_option("--jobs", options.jobs, "Of one build, through MAKEFLAGS and CMAKE_BUILD_PARALLEL_LEVEL"))
      ->check(CLI::Range(1, 4096))
      ->type_name("N");
  belongs(command.add_option("--build-timeout", options.build_timeout_seconds, "A longer build counts as broken (4 h)"))
      ->check(CLI::PositiveNumber)
      ->type_name("SECONDS");
  belongs(command.add_option("--measure-timeout", options.measure_timeout_seconds,
                             "A longer run counts as failed (10 min)"))
      ->check(CLI::PositiveNumber)
      ->type_name("SECONDS");
  belongs(command.add_option("--disk-budget", options.disk_budget_gib, "Of the built checkouts that are kept (20)"))
      ->check(CLI::Range(0.0, 1e6))
      ->type_name("GIB");
  belongs(command.add_option("--log", options.log_file, "Write the search as `git bisect log` does"))
      ->type_name("FILE");
  for (const char* of_a_subject : {"--subject", "--benchmarks", "--configurations", "--precision", "--processes",
                                   "--metric", "--series", "--report"})
    repository->excludes(command.get_option(of_a_subject));
  auto* all = belongs(command.add_flag("--all", options.all, "Every commit between the ends, by commit time"));
  belongs(command.add_flag("--first-parent", options.first_parent,
                           "Only the commits that landed on the branch (the default)"))
      ->excludes(all);
}

}  // namespace tbci::daemon
