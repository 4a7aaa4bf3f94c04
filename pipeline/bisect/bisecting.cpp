#include "pipeline/bisect/bisecting.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "base/text.hpp"
#include "bisect/bisection.hpp"
#include "bisect/break_search.hpp"
#include "detect/breaks.hpp"
#include "pipeline/bisect/commit_priors.hpp"
#include "pipeline/measure/building.hpp"
#include "pipeline/measure/measuring.hpp"
#include "storage/model/run_keys.hpp"

namespace tbci::pipeline {

namespace {

std::string brief(const model::Commit& commit) {
  return fmt::format("{} {}", commit.id.substr(0, 10), one_line(commit.subject, 60));
}

// Builds and measures through the store: what was paid for in an earlier call is not paid for again.
class StoredProber final : public bisect::Prober {
 public:
  StoredProber(SubjectContext& context, const model::Bisection& bisection) : context_(context), bisection_(bisection) {}

  Result<bisect::Built> build(const model::Commit& commit, std::stop_token) override {
    TBCI_TRY(give_way());
    TBCI_ASSIGN(const auto known, context_.stores.builds.find(context_.name(), model::BuildKind::commit, commit.id));
    worked_ = worked_ || !known || known->state == model::BuildState::pending;
    TBCI_ASSIGN(const model::Build build, build_commit(context_, commit.id));
    if (counted_builds_.insert(build.id).second) TBCI_TRY(count_builds());
    return bisect::Built{build.state == model::BuildState::ready, build.failure};
  }

  Result<std::map<model::Series, detect::Pair>> measure_pair(const model::Commit& reference, const model::Commit& probe,
                                                             const model::Case& measured, int ordinal,
                                                             std::stop_token) override {
    TBCI_TRY(give_way());
    TBCI_ASSIGN(const model::Build before, build_commit(context_, reference.id));
    TBCI_ASSIGN(const model::Build after, build_commit(context_, probe.id));
    const std::string key = model::run_keys::probe_pair(bisection_.id, reference.id, probe.id);
    const model::Build both[] = {before, after};
    TBCI_ASSIGN(const model::Run run, run_of(key, both));
    TBCI_ASSIGN(const int known, context_.stores.runs.count(run.id, after.id, measured));
    const Process process{measured, ordinal, leaks_of(bisection_.series, measured)};
    TBCI_ASSIGN(const MeasuredPair pair, pipeline::measure_pair(context_, run, {before, after}, process));
    TBCI_TRY(count_processes(known <= ordinal ? 2 : 0));
    return values_of(pair, probe, measured);
  }

  Result<std::map<model::Series, double>> measure_run(const model::Commit& commit, const model::Case& measured,
                                                      int ordinal, std::stop_token) override {
    TBCI_TRY(give_way());
    TBCI_ASSIGN(const model::Build build, build_commit(context_, commit.id));
    const model::Build builds[] = {build};
    TBCI_ASSIGN(const model::Run run, run_of(model::run_keys::probe(bisection_.id, commit.id), builds));
    TBCI_ASSIGN(const int known, context_.stores.runs.count(run.id, build.id, measured));
    TBCI_ASSIGN(const model::Measurement one,
                measure_once(context_, run, build, {measured, ordinal, leaks_of(bisection_.series, measured)}));
    TBCI_TRY(count_processes(known <= ordinal ? 1 : 0));
    TBCI_TRY(check_done(one, commit, measured));
    std::map<model::Series, double> values;
    for (const model::Series& series : bisection_.series) {
      const auto value = model::value_of(one, series.metric);
      if (series.measured_case() == measured && value) values[series] = *value;
    }
    return values;
  }

  // A process that fails for the machine's sake says nothing, and the next one is asked.
  Result<bisect::Trial> try_case(const model::Commit& commit, const model::Case& measured, int ordinal,
                                 std::stop_token) override {
    constexpr int most_troubles = 3;
    TBCI_TRY(give_way());
    TBCI_ASSIGN(const model::Build build, build_commit(context_, commit.id));
    const model::Build builds[] = {build};
    TBCI_ASSIGN(const model::Run run, run_of(model::run_keys::probe(bisection_.id, commit.id), builds));
    int& troubled = troubled_[{commit.id, measured}];  // processes that do not count
    std::string trouble;
    for (int tries = 0; tries < most_troubles;) {
      TBCI_ASSIGN(const int known, context_.stores.runs.count(run.id, build.id, measured));
      const bool fresh = known <= ordinal + troubled;
      const auto one = measure_once(context_, run, build, {measured, ordinal + troubled, Leaks::skip});
      // The worker does not build against this commit, so that it says nothing about the case.
      if (!one && one.error().kind == ErrorKind::failed)
        return bisect::Trial{.failed = false, .message = one.error().message, .untestable = true};
      if (!one) return pass_on(one.error());
      TBCI_TRY(count_processes(fresh ? 1 : 0));
      trouble = machine_trouble_of(*one);
      if (trouble.empty()) return trial_of(*one);
      ++troubled;
      tries += fresh ? 1 : 0;
    }
    return fail(ErrorKind::environment, "{} cannot be tried at {}: {}", to_string(measured), commit.id.substr(0, 12),
                trouble);
  }

 private:
  static bisect::Trial trial_of(const model::Measurement& one) {
    if (!detect::is_failure(one)) return {};
    const bool ended = one.outcome == model::Outcome::done;
    return {.failed = true,
            .message = ended ? "its results are not finite numbers"
                             : fmt::format("{}: {}", to_string(one.outcome), one_line(one.message))};
  }

  // Only after something new: else a search whose replay takes longer than the pause between two looks at the index
  // would never get on.
  Status give_way() const {
    if (!worked_ || !context_.gives_way || !context_.gives_way()) return {};
    return fail(ErrorKind::interrupted, "the search gives way to a new night");
  }

  Status count_processes(int fresh) {
    if (fresh == 0) return {};
    worked_ = true;
    return context_.stores.bisections.count_measurement(bisection_.id, fresh);
  }

  // Counts a build when the search asks for it the first time: a search that goes on asks again for all of them.
  Status count_builds() {
    TBCI_ASSIGN(const model::Bisection known, context_.stores.bisections.get(bisection_.id));
    const int missing = static_cast<int>(counted_builds_.size()) - known.builds;
    if (missing > 0) TBCI_TRY(context_.stores.bisections.count_build(bisection_.id, missing));
    return {};
  }

  Result<model::Run> run_of(const std::string& key, std::span<const model::Build> builds) {
    const auto known = runs_.find(key);
    if (known != runs_.end()) return known->second;
    TBCI_ASSIGN(const model::Run begun, begin_run(context_, key, model::Purpose::bisect, builds));
    return runs_.emplace(key, begun).first->second;
  }

  static Status check_done(const model::Measurement& one, const model::Commit& commit, const model::Case& measured) {
    if (one.outcome == model::Outcome::done) return {};
    return fail(ErrorKind::failed, "{} fails at {}: {}: {}", to_string(measured), commit.id.substr(0, 12),
                to_string(one.outcome), one_line(one.message));
  }

  Result<std::map<model::Series, detect::Pair>> values_of(const MeasuredPair& pair, const model::Commit& probe,
                                                          const model::Case& measured) const {
    TBCI_TRY(check_done(pair.before, probe, measured));
    TBCI_TRY(check_done(pair.after, probe, measured));
    std::map<model::Series, detect::Pair> values;
    for (const model::Series& series : bisection_.series) {
      const auto of_metric = pair.of(series.metric);
      if (series.measured_case() == measured && of_metric) values[series] = *of_metric;
    }
    return values;
  }

  SubjectContext& context_;
  const model::Bisection& bisection_;
  bool worked_ = false;  // something was built or measured that the store did not have
  std::set<std::int64_t> counted_builds_;
  std::map<std::string, model::Run> runs_;
  std::map<std::pair<std::string, model::Case>, int> troubled_;
};

// Tells people what the search does, and keeps what it learned.
class SearchObserver final : public bisect::Observer {
 public:
  SearchObserver(SubjectContext& context, const model::Bisection& bisection)
      : context_(context), bisection_(bisection) {}

  void build_begun(const model::Commit& commit, const bisect::SearchStatus& progress) override {
    context_.progress.expect(progress.builds + progress.expected_builds);
    context_.progress.step(fmt::format("build {}, {} in doubt", brief(commit), in_doubt(progress)));
  }
  void build_finished(const model::Commit& commit, const bisect::Built& built, const bisect::SearchStatus&) override {
    if (!built.buildable)
      context_.progress.note(fmt::format("{} does not build: {}", brief(commit), one_line(built.reason, 100)));
  }
  Status probe_decided(const model::Probe& probe, const bisect::SearchStatus& progress) override {
    TBCI_TRY(context_.stores.bisections.put_probe(bisection_.id, probe));
    // The good end of pairs is what the others are compared with: it needs no process of its own.
    if (probe.pairs == 0 && probe.side == model::Side::good) return {};
    context_.progress.note(fmt::format("{} is {} for {} ({}), {} in doubt", probe.commit.substr(0, 10),
                                       to_string(probe.side), to_string(probe.series),
                                       counted(probe.pairs, "process", "processes"), in_doubt(progress)));
    return {};
  }

 private:
  static std::string in_doubt(const bisect::SearchStatus& progress) {
    return counted(progress.commits_in_doubt, "commit");
  }

  SubjectContext& context_;
  const model::Bisection& bisection_;
};

bisect::SearchSettings settings_of(const SubjectContext& context, const SearchPlan& plan,
                                   const storage::SeriesPriors& priors) {
  bisect::SearchSettings settings;
  for (const model::Series& series : plan.series) {
    if (series.metric == model::Metric::time && alternates(context, model::Purpose::bisect, series.measured_case()))
      settings.paired_cases.insert(series.measured_case());
  }
  settings.either_direction = plan.improvements;
  settings.thresholds = context.config.thresholds;
  for (const auto& [series, of_commits] : priors) {
    std::vector<double>& weights = settings.priors[series];
    for (const model::CommitPrior& prior : of_commits) weights.push_back(prior.weight);
  }
  return settings;
}

// Numbers are searched by their levels, breaks by yes or no. The answers are in the order of the series.
Result<std::vector<model::Answer>> search(const std::vector<model::Commit>& commits,
                                          const std::vector<model::Series>& series,
                                          const bisect::SearchSettings& settings, StoredProber& prober,
                                          SearchObserver& observer, const std::stop_token& stop) {
  std::vector<model::Series> numbers, breaks;
  for (const model::Series& one : series) (one.metric == model::Metric::outcome ? breaks : numbers).push_back(one);
  std::vector<model::Answer> found;
  if (!numbers.empty()) {
    TBCI_ASSIGN(found, bisect::bisect(commits, numbers, settings, prober, observer, stop));
  }
  TBCI_ASSIGN(auto broken, bisect::bisect_breaks(commits, breaks, settings, prober, observer, stop));
  std::move(broken.begin(), broken.end(), std::back_inserter(found));
  std::vector<model::Answer> answers;
  for (const model::Series& one : series)
    answers.push_back(*std::find_if(found.begin(), found.end(), [&](const auto& a) { return a.series == one; }));
  return answers;
}

std::string summary(const std::vector<model::Answer>& answers) {
  std::set<std::vector<std::string>> culprits;
  for (const model::Answer& answer : answers) {
    if (!answer.suspects.empty()) culprits.insert(answer.suspects);
  }
  if (culprits.empty()) return "no culprit";
  std::vector<std::string> names;
  for (const auto& suspects : culprits) {
    names.push_back(suspects.size() == 1 ? suspects.front().substr(0, 10)
                                         : fmt::format("one of {} commits", suspects.size()));
  }
  return join(names, ", ");
}

}  // namespace

Result<model::Bisection> bisect_range(SubjectContext& context, const SearchPlan& plan) {
  storage::BisectionStore& store = context.stores.bisections;
  const storage::BisectionPlan planned{
      .subject = context.name(), .key = plan.key, .from = plan.from, .to = plan.to, .series = plan.series};
  TBCI_ASSIGN(const auto commits, context.machine.commits_between(plan.from, plan.to, context.stop));
  TBCI_ASSIGN(const model::Bisection bisection, store.begin(planned, context.clock.now()));
  if (bisection.finished) return bisection;
  TBCI_TRY(store.put_commits(context.name(), commits));
  context.progress.begin_stage(
      "bisect", fmt::format("{}, {} series", counted(commits.size() - 1, "commit"), plan.series.size()), 0);
  StoredProber prober(context, bisection);
  SearchObserver observer(context, bisection);
  TBCI_ASSIGN(const storage::SeriesPriors priors,
              commit_priors(context, bisection, commits,
                            plan.improvements ? Knowledge::paths_alone : Knowledge::as_configured));
  TBCI_ASSIGN(auto answers,
              search(commits, plan.series, settings_of(context, plan, priors), prober, observer, context.stop));
  put_priors(priors, commits, answers);
  TBCI_TRY(store.finish(bisection.id, answers, context.clock.now()));
  TBCI_ASSIGN(model::Bisection finished, store.get(bisection.id));
  context.progress.end_stage(fmt::format("{}; {}, {}", summary(answers), counted(finished.builds, "build"),
                                         counted(finished.measurements, "measurement")));
  return finished;
}

}  // namespace tbci::pipeline
