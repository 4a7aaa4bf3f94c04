#include "repo_bisect/repository_prober.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "runner/number_output.hpp"

namespace tbci::repo_bisect {

namespace {

/// To measure an end, without which nothing is found. Elsewhere the search itself tries again.
constexpr int most_attempts_of_end = 4;

std::string last_line(const std::string& text) {
  const std::string_view lines = trim(text);
  return one_line(lines.substr(lines.rfind('\n') + 1), 160);  // npos + 1 is 0
}

MeasurementRecord failed_measurement(std::string why, std::chrono::milliseconds limit = {}) {
  return {.value = std::nullopt, .failure = std::move(why), .ended_after = limit};
}

/// The record of one process of the command. Not final if another attempt may succeed.
struct Judged {
  MeasurementRecord record;
  bool final = true;
};

Judged judge(const Command& command, const ProcessOutcome& ended) {
  if (ended.succeeded()) {
    const auto number = runner::parse_number_output(ended.output);
    if (number) return {.record = {.value = *number, .failure = ""}};
    return {.record = failed_measurement("the measure command: " + number.error().message)};
  }
  if (ended.signal == 0 && !ended.timed_out && ended.exit_code == skip_exit_code)
    return {.record = failed_measurement(
                fmt::format("skipped: the measure command ended with exit code {}", skip_exit_code))};
  std::string why = "the measure command: " + describe(ended, command.time_limit);
  if (ended.timed_out) return {.record = failed_measurement(why + " (--measure-timeout)", command.time_limit)};
  const std::string said = last_line(ended.error.empty() ? ended.output : ended.error);
  if (!said.empty()) why += ": " + said;
  return {.record = failed_measurement(why), .final = false};
}

/// Null if a limit shorter than the current one stopped the known measurement or build: then it is tried again.
template <typename Record>
const Record* still_valid(const Record* known, std::chrono::milliseconds limit) {
  const bool cut_short = known != nullptr && known->ended_after.count() > 0 && known->ended_after < limit;
  return cut_short ? nullptr : known;
}

}  // namespace

Result<bisect::Built> RepositoryProber::build(const model::Commit& commit, std::stop_token stop) {
  builds_.insert(commit.id);
  const BuildRecord* known = still_valid(journal_.build(commit.id), job_.build_limit);
  if (known == nullptr) {
    TBCI_ASSIGN(const BuildRecord record, trees_.build(commit.id, std::move(stop)));
    if (const auto end = end_of(commit); !record.buildable && !end.empty()) {
      return fail(ErrorKind::machine,
                  "the {} end {} does not build: {}; see {}, fix the cause, and run the same command again", end,
                  commit.id.substr(0, 12), record.reason, trees_.log_path(commit.id).string());
    }
    TBCI_TRY(journal_.put_build(commit.id, record));
    known = journal_.build(commit.id);
  }
  return bisect::Built{.buildable = known->buildable, .reason = known->reason};
}

Result<std::map<model::Series, detect::Pair>> RepositoryProber::measure_pair(const model::Commit& reference,
                                                                             const model::Commit& probe,
                                                                             const model::Case&, int ordinal,
                                                                             std::stop_token stop) {
  const std::string key = fmt::format("{}..{}/{}", reference.id, probe.id, ordinal);
  detect::Pair pair;
  TBCI_ASSIGN(pair.before, measure(reference, key + "/before", stop));
  TBCI_ASSIGN(pair.after, measure(probe, key + "/after", stop));
  return std::map<model::Series, detect::Pair>{{series_of_job(), pair}};
}

Result<std::map<model::Series, double>> RepositoryProber::measure_process(const model::Commit& commit,
                                                                          const model::Case&, int ordinal,
                                                                          std::stop_token stop) {
  TBCI_ASSIGN(const double number, measure(commit, fmt::format("{}/{}", commit.id, ordinal), std::move(stop)));
  return std::map<model::Series, double>{{series_of_job(), number}};
}

std::string_view RepositoryProber::end_of(const model::Commit& commit) const {
  // One commit represents all commits with equal inputs.
  if (commit.inputs == commits_.front().inputs) return "good";
  return commit.inputs == commits_.back().inputs ? "bad" : "";
}

Result<double> RepositoryProber::measure(const model::Commit& commit, const std::string& key, std::stop_token stop) {
  if (job_.measurements_at_most > 0 && measurements() >= job_.measurements_at_most && !measurements_.contains(key)) {
    used_up_ = true;
    return fail(ErrorKind::interrupted, "the search has used the {} measurements that --measurements-at-most allows",
                job_.measurements_at_most);
  }
  const MeasurementRecord* known = still_valid(journal_.measurement(key), job_.measure_limit);
  if (known == nullptr) {
    TBCI_ASSIGN(const MeasurementRecord record, measure_unless_hopeless(commit, std::move(stop)));
    if (const auto end = end_of(commit); !record.value && !end.empty()) {
      return fail(ErrorKind::machine,
                  "the {} end {} cannot be measured: {}; its build is in {}: fix the cause, and run the same command "
                  "again",
                  end, commit.id.substr(0, 12), record.failure, trees_.tree_path(commit.id).string());
    }
    TBCI_TRY(journal_.put_measurement(key, record));
    known = journal_.measurement(key);
  }
  const bool first_time = measurements_.insert(key).second;
  if (!known->value) return fail(ErrorKind::failed, "{}: {}", commit.id.substr(0, 12), known->failure);
  if (first_time) numbers_[commit.id].push_back(*known->value);
  return as_searched(job_, *known->value);
}

Result<MeasurementRecord> RepositoryProber::measure_unless_hopeless(const model::Commit& commit, std::stop_token stop) {
  if (const auto known = hopeless_.find(commit.id); known != hopeless_.end()) return known->second;
  return measure_now(commit, std::move(stop));
}

Result<MeasurementRecord> RepositoryProber::measure_now(const model::Commit& commit, std::stop_token stop) {
  Command command;
  command.arguments = job_.measure;
  TBCI_ASSIGN(command.directory, trees_.tree(commit.id, stop));
  command.environment = {{"LC_ALL", "C"}, {"TBCI_COMMIT", commit.id}};
  command.inherited = Inherited::all_but_secrets;  // a person's own command
  command.time_limit = job_.measure_limit;
  for (int attempt = 1;; ++attempt) {
    auto ended = processes_.run(command, stop);
    if (!ended) {
      // A program that the build should have made is the commit's fault; one that is not installed is not.
      const bool built_there = job_.measure.front().find('/') != std::string::npos;
      if (built_there && ended.error().kind == ErrorKind::machine)
        return failed_measurement(one_line(ended.error().message));
      return pass_on(std::move(ended).error());
    }
    if (ended->interrupted) return fail(ErrorKind::interrupted, "the measure command was stopped");
    Judged judged = judge(command, *ended);
    if (judged.final && !judged.record.value) hopeless_[commit.id] = judged.record;
    const int most_attempts = end_of(commit).empty() ? 1 : most_attempts_of_end;
    if (judged.final || attempt == most_attempts) return std::move(judged.record);
  }
}

}  // namespace tbci::repo_bisect
