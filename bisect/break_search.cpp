#include "bisect/break_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/assert.hpp"
#include "base/text.hpp"
#include "bisect/attribution.hpp"
#include "bisect/break_posterior.hpp"
#include "bisect/build_scheduler.hpp"
#include "bisect/commit_classes.hpp"
#include "bisect/lost_stretch.hpp"
#include "bisect/measurements.hpp"

namespace tbci::bisect {
namespace {

std::string share_text(const detect::Trials& trials) {
  return fmt::format("{} of {} processes fail", trials.failures, trials.processes);
}

/// A case, its search, and the answer that it gets.
struct OpenBreak {
  model::Case measured;
  BreakState state;
  std::map<std::size_t, std::string> messages;  ///< of a process that failed, by class
  std::map<std::size_t, std::string> lost;      ///< why a class cannot be tried
  std::map<std::size_t, int> ordinals;          ///< of the next process, by binary: a revert brings one back
  NextAction next;
  bool finished = false;
};

class BreakBisector {
 public:
  BreakBisector(const std::vector<model::Commit>& commits, const std::vector<model::Series>& series,
                const SearchSettings& settings, Prober& prober, Observer& observer, std::stop_token stop)
      : settings_(settings), prober_(prober), observer_(observer), stop_(std::move(stop)), classes_(commits) {
    for (const model::Series& one : series) {
      answers_.emplace_back().series = one;
      open_.push_back({.measured = one.measured_case(),
                       .state = state_of(one),
                       .messages = {},
                       .lost = {},
                       .ordinals = {},
                       .next = {}});
    }
  }

  Result<std::vector<model::Answer>> run() {
    TBCI_ASSIGN(const bool built, build_ends());
    if (!built) return answers_;
    while (true) {
      for (std::size_t i = 0; i < open_.size(); ++i) {
        if (!open_[i].finished) TBCI_TRY(advance(i));
      }
      update_status();
      const auto wanted = next_builds(open_steps(), std::max<std::size_t>(1, settings_.builders));
      if (wanted.empty()) return answers_;
      TBCI_TRY(build(wanted));
    }
  }

 private:
  BreakState state_of(const model::Series& series) const {
    BreakState state{.trials = {{0, {}}, {classes_.last(), {}}},
                     .states = std::vector<ClassState>(classes_.count(), ClassState::untried),
                     .weights = std::vector<double>(classes_.count(), 1.0)};
    state.states.front() = state.states.back() = ClassState::measured;
    const auto prior = settings_.priors.find(series);
    for (std::size_t at = 0; at < classes_.count() && prior != settings_.priors.end(); ++at)
      state.weights[at] = prior->second[classes_.index_of(at)];
    return state;
  }

  const model::Commit& binary_of(std::size_t at) const { return classes_.commit_of(classes_.binary_of(at)); }

  void update_status() {
    std::set<std::size_t> in_doubt;
    const auto steps = open_steps();
    for (const OpenStep& step : steps) {
      for (std::size_t at = step.good + 1; at <= step.bad; ++at) in_doubt.insert(at);
    }
    status_.commits_in_doubt = in_doubt.size();
    status_.expected_builds = expected_builds(steps);
  }

  // Building.

  void answer_all(const std::string& reason) {
    for (model::Answer& answer : answers_) answer.reason = reason;
  }

  /// False when the search is over: all answers are given.
  Result<bool> build_ends() {
    if (classes_.binary_of(classes_.last()) == 0) {
      answer_all(same_inputs_text(classes_.commits()));
      return false;
    }
    for (const std::size_t at : {std::size_t{0}, classes_.last()}) {
      TBCI_TRY(build({at}));
      const Built& built = built_.at(classes_.binary_of(at));
      if (built.buildable) continue;
      answer_all(fmt::format("the {} end {} does not build: {}", at == 0 ? "good" : "bad",
                             short_id(classes_.commit_of(at)), one_line(built.reason)));
      return false;
    }
    return true;
  }

  std::vector<OpenStep> open_steps() const {
    std::vector<OpenStep> steps;
    for (const OpenBreak& one : open_) {
      if (one.finished || one.next.kind != NextAction::Kind::split) continue;
      const Bracket& bracket = one.next.brackets.front();
      steps.push_back({.good = bracket.good,
                       .bad = bracket.bad,
                       .states = one.state.states,
                       .weights = one.state.weights,
                       .builds_left = most_builds_of(classes_.count())});
    }
    return steps;
  }

  Status build(const std::vector<std::size_t>& classes) {
    TBCI_TRY(check_not_stopped(stop_));
    std::vector<model::Commit> commits;
    for (const std::size_t at : classes) {
      commits.push_back(binary_of(at));
      observer_.build_begun(commits.back(), status_);
    }
    TBCI_ASSIGN(const auto built, prober_.build_all(commits, stop_));
    TBCI_ASSERT(built.size() == classes.size());
    for (std::size_t i = 0; i < classes.size(); ++i) {
      ++status_.builds;
      built_[classes_.binary_of(classes[i])] = built[i];
      observer_.build_finished(commits[i], built[i], status_);
      if (!built[i].buildable) TBCI_TRY(mark_lost(classes[i], built[i].reason));
    }
    return {};
  }

  Status mark_lost(std::size_t lost, const std::string& reason) {
    for (std::size_t i = 0; i < open_.size(); ++i) {
      if (!open_[i].finished) TBCI_TRY(mark_lost(i, lost, reason));
    }
    return {};
  }
  Status mark_lost(std::size_t i, std::size_t lost, const std::string& reason) {
    BreakState& state = open_[i].state;
    for (std::size_t at = 1; at < classes_.last(); ++at) {
      if (classes_.binary_of(at) != classes_.binary_of(lost)) continue;
      state.states[at] = ClassState::lost;
      skip_between_lost(state.states, at);
      state.trials.erase(at);
      open_[i].lost[at] = reason;
    }
    return decided(i, lost, model::Side::unbuildable, one_line(reason));
  }

  // Trying.

  /// Tries known builds until the case needs another build, or is finished.
  Status advance(std::size_t i) {
    OpenBreak& one = open_[i];
    while (!one.finished) {
      one.next = next_break_action(one.state, settings_.certainty);
      if (one.next.kind == NextAction::Kind::measure) {
        TBCI_TRY(try_class(i, one.next.at));
      } else if (one.next.kind == NextAction::Kind::done) {
        TBCI_TRY(conclude(i));
      } else if (const auto at = built_inside(one)) {
        TBCI_TRY(try_class(i, *at));
      } else {
        return {};
      }
    }
    return {};
  }

  /// A class inside the bracket that was built already: the one in its middle.
  std::optional<std::size_t> built_inside(const OpenBreak& one) const {
    const Bracket& bracket = one.next.brackets.front();
    std::optional<std::size_t> found;
    const auto off = [&](std::size_t at) { return std::max(at - bracket.good, bracket.bad - at); };
    for (std::size_t at = bracket.good + 1; at < bracket.bad; ++at) {
      const bool ready = one.state.states[at] == ClassState::untried && built_.contains(classes_.binary_of(at));
      if (ready && (!found || off(at) < off(*found))) found = at;
    }
    return found;
  }

  Status try_class(std::size_t i, std::size_t at) {
    TBCI_TRY(check_not_stopped(stop_));
    OpenBreak& one = open_[i];
    int& ordinal = one.ordinals[classes_.binary_of(at)];
    const model::Commit& commit = binary_of(at);
    TBCI_ASSIGN(const Trial trial, prober_.try_case(commit, one.measured, ordinal, stop_));
    ++status_.processes;
    observer_.process_measured(commit, one.measured, ordinal++, status_);
    if (trial.untestable) return give_up(i, at, trial.message);
    one.state.states[at] = ClassState::measured;
    detect::Trials& trials = one.state.trials[at];
    ++trials.processes;
    trials.failures += trial.failed ? 1 : 0;
    if (trial.failed) one.messages.emplace(at, trial.message);
    return {};
  }

  Status give_up(std::size_t i, std::size_t at, const std::string& reason) {
    if (at != 0 && at != classes_.last()) return mark_lost(i, at, reason);
    open_[i].finished = true;
    answers_[i].reason = fmt::format("the ends cannot be tried: {}", one_line(reason));
    return {};
  }

  // Answers.

  detect::Trials pooled(const OpenBreak& one, std::size_t first, std::size_t last) const {
    detect::Trials sum;
    for (const auto& [at, trials] : one.state.trials) {
      if (first <= at && at <= last) sum = sum + trials;
    }
    return sum;
  }

  Status conclude(std::size_t i) {
    OpenBreak& one = open_[i];
    one.finished = true;
    if (one.next.brackets.empty()) {
      answers_[i].reason = why_none(one);
      return judge_good_end(i);
    }
    const Bracket& bracket = one.next.brackets.front();
    for (const auto& [at, trials] : one.state.trials) {
      const bool bad = at >= bracket.bad;
      const model::Side side = bad ? model::Side::bad : model::Side::good;
      TBCI_TRY(decided(i, at, side, share_text(trials) + failure_text(one, at)));
    }
    const detect::Trials broken = pooled(one, bracket.bad, classes_.last());
    const model::Interval interval = detect::interval_of_share(broken);
    model::FoundStep step;
    for (std::size_t at = bracket.good + 1; at <= bracket.bad; ++at) step.suspects.push_back(classes_.commit_of(at).id);
    step.posterior = bracket.probability;
    step.change = static_cast<double>(broken.failures) / broken.processes;
    step.low = interval.low;
    step.high = interval.high;
    step.reason = why_several(one, bracket);
    fill(answers_[i], step);
    return {};
  }

  static void fill(model::Answer& answer, const model::FoundStep& step) {
    model::lead_with(answer, step);
    answer.steps = {step};
  }

  // A search that began too late says so, for one that begins earlier.
  Status judge_good_end(std::size_t i) {
    const detect::Trials& good = open_[i].state.trials.at(0);
    if (good.failures < detect::least_failures) return {};
    return decided(i, 0, model::Side::bad, share_text(good) + failure_text(open_[i], 0));
  }

  static std::string failure_text(const OpenBreak& one, std::size_t at) {
    const auto message = one.messages.find(at);
    return message == one.messages.end() ? "" : ": " + one_line(message->second, 200);
  }

  std::string why_none(const OpenBreak& one) const {
    const detect::Trials& good = one.state.trials.at(0);
    const detect::Trials& bad = one.state.trials.at(classes_.last());
    const std::string figures = fmt::format("at {} {}, at {} {}", short_id(classes_.commit_of(0)), share_text(good),
                                            short_id(classes_.commit_of(classes_.last())), share_text(bad));
    const auto message = one.messages.find(0);
    if (good.failures > 0 && message != one.messages.end())
      return fmt::format("the source build of the good end fails as well: {} ({})", figures,
                         one_line(message->second, 200));
    return fmt::format(
        "the source builds do not differ ({}): the cause is packaging or environment, or a commit in between "
        "repaired it",
        figures);
  }

  std::string why_several(const OpenBreak& one, const Bracket& bracket) const {
    const std::size_t between = bracket.bad - bracket.good - 1;
    if (between == 0) return "";
    const auto lost = one.lost.find(bracket.good + 1);
    const std::string reason = lost == one.lost.end() ? "" : one_line(lost->second);
    return lost_text(one.state.states, {.good = bracket.good,
                                        .bad = bracket.bad,
                                        .bad_id = short_id(classes_.commit_of(bracket.bad)),
                                        .first_lost_id = short_id(classes_.commit_of(bracket.good + 1)),
                                        .reason = reason});
  }

  Status decided(std::size_t i, std::size_t at, model::Side side, const std::string& reason) {
    model::Probe probe;
    probe.commit = classes_.commit_of(at).id;
    probe.series = answers_[i].series;
    probe.side = side;
    probe.reason = reason;
    const auto trials = open_[i].state.trials.find(at);
    if (trials != open_[i].state.trials.end() && trials->second.processes > 0) {
      probe.pairs = trials->second.processes;
      probe.change = static_cast<double>(trials->second.failures) / probe.pairs;
      probe.low = probe.high = probe.change;
    }
    return observer_.probe_judged(probe, status_);
  }

  const SearchSettings& settings_;
  Prober& prober_;
  Observer& observer_;
  std::stop_token stop_;
  CommitClasses classes_;
  SearchStatus status_;
  std::vector<model::Answer> answers_;
  std::vector<OpenBreak> open_;
  std::map<std::size_t, Built> built_;
};

}  // namespace

Result<std::vector<model::Answer>> bisect_breaks(const std::vector<model::Commit>& commits,
                                                 const std::vector<model::Series>& series,
                                                 const SearchSettings& settings, Prober& prober, Observer& observer,
                                                 std::stop_token stop) {
  if (series.empty()) return std::vector<model::Answer>{};
  if (commits.size() < 2)
    return fail(ErrorKind::usage, "a bisection needs at least two commits: a good one and a bad one");
  for (const auto& [one, weights] : settings.priors) {
    if (weights.size() != commits.size())
      return fail(ErrorKind::usage, "the prior of {} has {} weights for {} commits", model::to_string(one),
                  weights.size(), commits.size());
  }
  return BreakBisector(commits, series, settings, prober, observer, std::move(stop)).run();
}

}  // namespace tbci::bisect
