#include "pipeline/bisect/commit_priors.hpp"

#include <algorithm>
#include <optional>

#include "base/text.hpp"
#include "bisect/commit_classes.hpp"
#include "bisect/prior.hpp"
#include "pipeline/measure/building.hpp"
#include "pipeline/measure/profiling.hpp"

namespace tbci::pipeline {

namespace {

using Slower = std::vector<bisect::SlowerOperator>;

// Whether a source of knowledge is missing. Any other error ends the search.
bool is_missing_knowledge(const Error& error) {
  return error.kind == ErrorKind::failed || error.kind == ErrorKind::usage;
}

Slower slower_operators(const model::OperatorComparison& compared) {
  Slower slower;
  for (const model::OperatorChange& change : compared.changed) {
    if (change.difference().count() > 0 && change.name != model::in_no_operator)
      slower.push_back({change.name, static_cast<double>(change.difference().count())});
  }
  return slower;
}

class CommitWeigher {
 public:
  CommitWeigher(SubjectContext& context, const model::Bisection& bisection, const std::vector<model::Commit>& commits)
      : context_(context), bisection_(bisection), commits_(commits) {}

  Result<storage::SeriesPriors> weigh(Knowledge knowledge) {
    TBCI_TRY(read_touched());
    if (touched_.empty()) return storage::SeriesPriors();
    const bool by_operators =
        knowledge == Knowledge::as_configured && context_.config.bisect.priors == settings::Priors::operators;
    if (by_operators) TBCI_TRY(profile_ends());
    storage::SeriesPriors priors;
    for (const model::Series& series : bisection_.series) {
      const auto slower = slower_.find(series.measured_case());
      const bool of_time = series.metric == model::Metric::time && slower != slower_.end();
      const Slower none;
      priors[series] =
          bisect::prior_of({touched_, of_time ? slower->second : none, &sources_, context_.subject.source.likely});
    }
    return priors;
  }

  Result<std::vector<model::CommitPrior>> by_paths() {
    TBCI_TRY(read_touched());
    if (touched_.empty()) return std::vector<model::CommitPrior>();
    return bisect::prior_of({touched_, {}, &sources_, context_.subject.source.likely});
  }

 private:
  void missing(std::string_view what, const Error& error) {
    context_.progress.note(fmt::format("{}: {}", what, one_line(error.message)));
  }

  Status read_touched() {
    const auto details = context_.machine.details(commits_, context_.stop);
    if (!details) {
      if (!is_missing_knowledge(details.error())) return pass_on(details.error());
      missing("cannot read which files the commits touch", details.error());
      return {};
    }
    for (const bisect::CommitDetails& one : *details) touched_.push_back({one.touched});
    return {};
  }

  // Profiles both ends, in each case whose time is searched.
  Status profile_ends() {
    if (!commits_.front().inputs.empty() && commits_.front().inputs == commits_.back().inputs) return {};
    std::vector<model::Case> cases;
    for (const model::Series& series : bisection_.series) {
      const model::Case measured = series.measured_case();
      const bool known = std::find(cases.begin(), cases.end(), measured) != cases.end();
      if (series.metric == model::Metric::time && !known && cases.size() < most_weighed_cases)
        cases.push_back(measured);
    }
    if (cases.empty()) return {};
    Comparison ends;
    TBCI_ASSIGN(ends.before, build_commit(context_, commits_.front().id));
    TBCI_ASSIGN(ends.after, build_commit(context_, commits_.back().id));
    const auto ready = [](const model::Build& build) { return build.state == model::BuildState::ready; };
    if (!ready(ends.before) || !ready(ends.after)) return {};
    for (const model::Case& measured : cases) TBCI_TRY(profile(ends, measured));
    return find_sources();
  }

  Status profile(const Comparison& ends, const model::Case& measured) {
    const auto compared = compare_operators(context_, ends, measured, {weighing_processes, weighing_processes});
    if (compared) {
      slower_[measured] = slower_operators(*compared);
      return {};
    }
    if (!is_missing_knowledge(compared.error())) return pass_on(compared.error());
    missing(fmt::format("{} cannot be profiled", to_string(measured)), compared.error());
    return {};
  }

  Status find_sources() {
    std::vector<std::string> names;
    for (const auto& [measured, slower] : slower_) {
      for (const bisect::SlowerOperator& one : slower) names.push_back(one.name);
    }
    if (names.empty()) return {};
    auto sources = context_.machine.operator_sources(commits_.back().id, names, context_.stop);
    if (sources) {
      sources_ = std::move(*sources);
      return {};
    }
    if (!is_missing_knowledge(sources.error())) return pass_on(sources.error());
    missing("cannot read which files the operators are made of", sources.error());
    return {};
  }

  SubjectContext& context_;
  const model::Bisection& bisection_;
  const std::vector<model::Commit>& commits_;
  std::vector<bisect::Touched> touched_;
  std::map<model::Case, Slower> slower_;
  bisect::OperatorSources sources_;
};

}  // namespace

Result<storage::SeriesPriors> commit_priors(SubjectContext& context, const model::Bisection& bisection,
                                            const std::vector<model::Commit>& commits, Knowledge knowledge) {
  if (context.config.bisect.priors == settings::Priors::none) return storage::SeriesPriors();
  TBCI_ASSIGN(auto kept, context.stores.priors.of(bisection.id));
  if (!kept.empty()) return kept;
  context.progress.step("weigh the commits");
  TBCI_ASSIGN(auto priors, CommitWeigher(context, bisection, commits).weigh(knowledge));
  TBCI_TRY(context.stores.priors.put(bisection.id, commits, priors));
  return priors;
}

Result<std::vector<model::CommitPrior>> path_priors(SubjectContext& context,
                                                    const std::vector<model::Commit>& commits) {
  if (context.config.bisect.priors == settings::Priors::none) return std::vector<model::CommitPrior>();
  return CommitWeigher(context, {}, commits).by_paths();
}

void put_priors(const storage::SeriesPriors& priors, const std::vector<model::Commit>& commits,
                std::vector<model::Answer>& answers) {
  // A commit that changes nothing that is compiled is not a culprit.
  std::vector<std::size_t> compiled;
  for (const bisect::CommitClass& one : bisect::classes_of(commits)) compiled.push_back(one.commits.front());
  compiled.erase(compiled.begin());  // the good end
  for (model::Answer& answer : answers) {
    const auto found = priors.find(answer.series);
    if (found == priors.end()) continue;
    double whole = 0;
    for (const std::size_t at : compiled) whole += found->second[at].weight;
    for (model::FoundStep& step : answer.steps) {
      const model::CommitPrior* likeliest = nullptr;
      for (const std::size_t at : compiled) {
        const bool ours = std::find(step.suspects.begin(), step.suspects.end(), commits[at].id) != step.suspects.end();
        if (!ours) continue;
        const model::CommitPrior& prior = found->second[at];
        step.prior += prior.weight / whole;
        if (likeliest == nullptr || prior.weight > likeliest->weight) likeliest = &prior;
      }
      if (likeliest != nullptr) step.prior_reason = likeliest->reason;
    }
  }
}

}  // namespace tbci::pipeline
