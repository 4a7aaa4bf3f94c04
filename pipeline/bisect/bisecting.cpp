#include "pipeline/bisect/bisecting.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "bisect/bisection.hpp"
#include "bisect/break_search.hpp"
#include "pipeline/bisect/commit_priors.hpp"
#include "pipeline/bisect/stored_prober.hpp"
#include "pipeline/measure/measuring.hpp"

namespace tbci::pipeline {

namespace {

std::string brief(const model::Commit& commit) {
  return fmt::format("{} {}", commit.id.substr(0, 10), one_line(commit.subject, 60));
}

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
  Status probe_judged(const model::Probe& probe, const bisect::SearchStatus& progress) override {
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
  settings.expected = plan.expected;
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
