#include "repo_bisect/repository_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/file.hpp"
#include "base/text.hpp"
#include "bisect/bisection.hpp"
#include "repo_bisect/built_trees.hpp"
#include "repo_bisect/repository_prober.hpp"

namespace tbci::repo_bisect {

namespace {

std::string brief(const model::Commit& commit) {
  return fmt::format("{} {}", commit.id.substr(0, 10), one_line(commit.subject, 60));
}

/// Shows people the progress of the search, and collects its probes.
class SearchObserver final : public bisect::Observer {
 public:
  SearchObserver(const RepositoryJob& job, Progress& progress) : job_(job), progress_(progress) {}

  void build_begun(const model::Commit& commit, const bisect::SearchStatus& status) override {
    progress_.expect(status.builds + status.expected_builds);
    progress_.step(fmt::format("build {}, {} in doubt", brief(commit), counted(status.commits_in_doubt, "commit")));
  }
  void build_finished(const model::Commit& commit, const bisect::Built& built, const bisect::SearchStatus&) override {
    if (built.buildable) return;
    progress_.note(fmt::format("{} does not build: {}", brief(commit), one_line(built.reason, 100)));
    probes_.push_back(
        {.commit = commit.id, .series = series_of_job(), .side = model::Side::unbuildable, .reason = built.reason});
  }
  Status probe_judged(const model::Probe& probe, const bisect::SearchStatus& status) override {
    probes_.push_back(probe);
    if (probe.pairs == 0 && probe.side == model::Side::good) return {};  // what pairs are compared with
    const std::string change = probe.side == model::Side::good || probe.side == model::Side::bad
                                   ? human_change(as_printed(job_, probe.change))
                                   : one_line(probe.reason, 100);
    progress_.note(fmt::format("{} is {} ({}, {}), {} in doubt", probe.commit.substr(0, 10), to_string(probe.side),
                               change, counted(probe.pairs, "measurement"),
                               counted(status.commits_in_doubt, "commit")));
    return {};
  }

  std::vector<model::Probe> take() { return std::move(probes_); }

 private:
  const RepositoryJob& job_;
  Progress& progress_;
  std::vector<model::Probe> probes_;
};

bisect::SearchSettings settings_of(const RepositoryJob& job) {
  bisect::SearchSettings settings;
  detect::ThresholdChange change;
  change.relative = searched_threshold(job);
  settings.thresholds.base = detect::changed(settings.thresholds.base, change);
  settings.exact_check_pairs = 0;  // of several culprits, the processes of such checks would be a good part of all
  return settings;
}

/// The answer of a search that reached the limit on measurements.
model::Answer answer_at_limit(const RepositoryJob& job, const std::vector<model::Commit>& commits,
                              const std::vector<model::Probe>& probes) {
  model::Answer answer;
  answer.series = series_of_job();
  answer.suspects = commits_in_doubt(commits, probes);
  // The first commit found bad is the bad end.
  const auto end = std::ranges::find(probes, model::Side::bad, &model::Probe::side);
  if (end != probes.end()) {
    answer.change = end->change;
    answer.low = end->low;
    answer.high = end->high;
  }
  const std::string limit = fmt::format("the search has used the {} measurements that --measurements-at-most allows",
                                        job.measurements_at_most);
  answer.reason = answer.suspects.empty() ? limit + " before it could tell the ends apart" : limit;
  return answer;
}

/// Commits with equal inputs share the numbers of the one that was measured.
void share_numbers(const std::vector<model::Commit>& commits, std::map<std::string, std::vector<double>>& numbers) {
  std::map<std::string, std::vector<double>> by_inputs;
  for (const model::Commit& commit : commits) {
    if (const auto found = numbers.find(commit.id); found != numbers.end()) by_inputs[commit.inputs] = found->second;
  }
  for (const model::Commit& commit : commits) {
    if (const auto found = by_inputs.find(commit.inputs); found != by_inputs.end())
      numbers.emplace(commit.id, found->second);
  }
}

/// Converts changes of the searched value to changes of the number. For 1/x the bounds swap.
void convert_changes(const RepositoryJob& job, auto& found) {
  found.change = as_printed(job, found.change);
  found.low = as_printed(job, found.low);
  found.high = as_printed(job, found.high);
  if (found.low > found.high) std::swap(found.low, found.high);
}

}  // namespace

std::vector<std::string> commits_in_doubt(const std::vector<model::Commit>& commits,
                                          const std::vector<model::Probe>& probes) {
  std::map<std::string, model::Side> sides;
  for (const model::Probe& probe : probes) sides[probe.commit] = probe.side;
  std::size_t bad = 0, good = 0;
  for (std::size_t i = commits.size(); i-- > 1;) {
    if (sides[commits[i].id] == model::Side::bad) bad = i;
  }
  for (std::size_t i = 1; i < bad; ++i) {
    if (sides[commits[i].id] == model::Side::good) good = i;
  }
  std::vector<std::string> doubt;
  for (std::size_t i = good + 1; i <= bad; ++i) doubt.push_back(commits[i].id);
  return doubt;
}

Result<RepositoryAnswer> search_repository(const RepositoryJob& job, const std::vector<model::Commit>& commits,
                                           const std::filesystem::path& folder, ProcessRunner& processes,
                                           const Clock& clock, Progress& progress, std::stop_token stop) {
  TBCI_ASSIGN(const FileLock lock, FileLock::acquire(folder / "lock"));
  TBCI_ASSIGN(Journal journal, Journal::open(folder / "journal.jsonl"));
  BuiltTrees trees(job, folder, processes, clock, [&progress](std::string_view line) { progress.note(line); });
  RepositoryProber prober(job, commits, trees, journal, processes);
  SearchObserver observer(job, progress);
  progress.begin_stage("bisect",
                       fmt::format("{} of {}", counted(commits.size() - 1, "commit"), job.repository.string()), 0);
  const auto found = bisect::bisect(commits, {series_of_job()}, settings_of(job), prober, observer, std::move(stop));
  if (!found && !prober.used_up()) return pass_on(Error(found.error()));

  RepositoryAnswer answer;
  answer.probes = observer.take();
  answer.bisection.from = commits.front().id;
  answer.bisection.to = commits.back().id;
  answer.bisection.series = {series_of_job()};
  answer.bisection.answers = {found ? found->front() : answer_at_limit(job, commits, answer.probes)};
  for (model::Answer& one : answer.bisection.answers) {
    convert_changes(job, one);
    for (model::FoundStep& step : one.steps) convert_changes(job, step);
  }
  answer.bisection.builds = prober.builds();
  answer.bisection.measurements = prober.measurements();
  answer.numbers = prober.numbers();
  share_numbers(commits, answer.numbers);
  answer.used_up = prober.used_up();
  answer.rebuilds = trees.rebuilds();
  progress.end_stage(
      fmt::format("{}, {}", counted(prober.builds(), "build"), counted(prober.measurements(), "measurement")));
  return answer;
}

}  // namespace tbci::repo_bisect
