#include "bisect/bisection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "bisect/evidence.hpp"
#include "bisect/search.hpp"

namespace tbci::bisect {
namespace {

using model::Side;

/// A culprit must show at least this share of the step of the ends beside its parent. Three equal culprits pass.
constexpr double least_share_of_step = 0.3;

std::string short_id(const model::Commit& commit) {
  return commit.id.substr(0, 12);
}

/// A series whose step the ends show.
struct Searched {
  std::size_t answer = 0;  ///< its index
  model::Series series;
  Step step;
  bool finished = false;
};

class Bisector {
 public:
  Bisector(const std::vector<model::Commit>& commits, const std::vector<model::Series>& series,
           const Settings& settings, Prober& prober, Observer& observer, std::stop_token stop)
      : commits_(commits),
        settings_(settings),
        prober_(prober),
        observer_(observer),
        stop_(std::move(stop)),
        classes_(classes_of(commits)),
        evidence_(Surroundings{commits_, prober_, observer_, progress_, stop_}) {
    for (const model::Series& one : series) answers_.push_back({one, {}, 0, 0, 0, ""});
  }

  Result<std::vector<model::Answer>> run() {
    TBCI_ASSIGN(const bool built, build_ends());
    if (!built) return answers_;
    progress_.commits_in_doubt = classes_.size() - 1;
    TBCI_TRY(compare_ends());
    bool searching = true;
    while (searching) {
      TBCI_TRY(search());
      TBCI_ASSIGN(searching, check_culprits());
    }
    return answers_;
  }

 private:
  std::size_t last() const { return classes_.size() - 1; }
  /// The commit that stands for a class.
  std::size_t index_of(std::size_t at) const { return classes_[at].commits.front(); }
  const model::Commit& commit_of(std::size_t at) const { return commits_[index_of(at)]; }
  std::vector<Side>& row_of(const Searched& one) { return knowledge_.rows[row_index(one)]; }
  std::size_t row_index(const Searched& one) const { return static_cast<std::size_t>(&one - searched_.data()); }
  Comparison against_good_end(std::size_t at, const model::Case& measured) const {
    return {index_of(0), index_of(at), measured};
  }

  void answer_all(const std::string& reason) {
    for (model::Answer& answer : answers_) answer.reason = reason;
  }

  void count_what_is_left() {
    std::set<std::size_t> in_doubt;
    for (const Searched& one : searched_) {
      for (std::size_t at : suspects(row_of(one))) in_doubt.insert(at);
    }
    progress_.commits_in_doubt = in_doubt.size();
    progress_.expected_builds = expected_builds(knowledge_);
  }

  /// Each class once.
  Result<Built> build(std::size_t at) {
    if (auto found = built_.find(at); found != built_.end()) return found->second;
    TBCI_TRY(go_on(stop_));
    observer_.build_begun(commit_of(at), progress_);
    TBCI_ASSIGN(auto built, prober_.build(commit_of(at), stop_));
    ++progress_.builds;
    observer_.build_finished(commit_of(at), built, progress_);
    built_[at] = built;
    return built;
  }

  bool have_equal_inputs(std::size_t a, std::size_t b) const {
    return a == b || (!commit_of(a).inputs.empty() && commit_of(a).inputs == commit_of(b).inputs);
  }

  /// False where the answer is given already.
  Result<bool> build_ends() {
    if (have_equal_inputs(0, last())) {
      answer_all(fmt::format("what is compiled is the same at {} and {}: packaging or environment, not the sources",
                             short_id(commits_.front()), short_id(commits_.back())));
      return false;
    }
    progress_.expected_builds = 2 + expected_builds(nothing_known(1, classes_.size()));
    for (std::size_t at : {std::size_t{0}, last()}) {
      TBCI_ASSIGN(const Built built, build(at));
      if (built.buildable) continue;
      answer_all(fmt::format("the {} end {} does not build: {}", at == 0 ? "good" : "bad", short_id(commit_of(at)),
                             one_line(built.reason)));
      return false;
    }
    return true;
  }

  StepSettings step_settings(const model::Series& series) const {
    StepSettings steps;
    const detect::Thresholds thresholds = settings_.thresholds.for_series(series);
    steps.least = thresholds.step_share * detect::least_effect(series.metric, thresholds);
    steps.scale_floor = detect::effect_scale_floor(series.metric, thresholds);
    steps.first_pairs = settings_.end_first_pairs;
    steps.most_pairs = settings_.end_most_pairs;
    steps.either_direction = settings_.either_direction;
    return steps;
  }

  std::map<model::Case, std::vector<model::Series>> by_case(const std::vector<model::Series>& all) const {
    std::map<model::Case, std::vector<model::Series>> cases;
    for (const model::Series& one : all) cases[one.measured_case()].push_back(one);
    return cases;
  }

  Status compare_ends() {
    std::vector<model::Series> all;
    for (const model::Answer& answer : answers_) all.push_back(answer.series);
    for (const auto& [measured, series] : by_case(all)) {
      const Comparison ends = against_good_end(last(), measured);
      TBCI_TRY(evidence_.gather(ends, series, [&](const model::Series& one, std::span<const double> effects) {
        return decide_step(effects, step_settings(one)).verdict != StepVerdict::more;
      }));
    }
    for (std::size_t i = 0; i < answers_.size(); ++i) TBCI_TRY(judge_ends(i));
    knowledge_ = nothing_known(searched_.size(), classes_.size());
    for (std::size_t at = 1; at < last(); ++at) {
      for (const Searched& one : searched_) {
        if (have_equal_inputs(at, 0)) row_of(one)[at] = Side::good;
        if (have_equal_inputs(at, last())) row_of(one)[at] = Side::bad;
      }
    }
    count_what_is_left();
    return {};
  }

  Status judge_ends(std::size_t index) {
    model::Answer& answer = answers_[index];
    const Comparison ends = against_good_end(last(), answer.series.measured_case());
    const SeriesEvidence& found = evidence_.of(ends, answer.series);
    if (!found.failure.empty()) {
      answer.reason = fmt::format("the ends can't be measured: {}", one_line(found.failure));
      return {};
    }
    const StepDecision decision = decide_step(found.effects, step_settings(answer.series));
    put_change(answer, ends, decision);
    if (decision.verdict != StepVerdict::shown) {
      answer.reason = why_no_step(answer, decision, found.effects.size());
      return {};
    }
    searched_.push_back({index, answer.series, decision.step, false});
    TBCI_TRY(observer_.probe_decided({commit_of(0).id, answer.series, Side::good, 0, 0, 0, 0, ""}, progress_));
    return observer_.probe_decided({commit_of(last()).id, answer.series, Side::bad, answer.change, answer.low,
                                    answer.high, static_cast<int>(found.effects.size()), ""},
                                   progress_);
  }

  std::string why_no_step(const model::Answer& answer, const StepDecision& decision, std::size_t pairs) const {
    const std::string figures = fmt::format("{}, between {} and {}, {} pairs", human_change(answer.change),
                                            human_change(answer.low), human_change(answer.high), pairs);
    const std::string ends = fmt::format("{} and {}", short_id(commits_.front()), short_id(commits_.back()));
    // Half of the threshold would show a step; a whole one must be ruled out before the sources are cleared.
    if (decision.high >= detect::least_effect(answer.series.metric, settings_.thresholds.for_series(answer.series))) {
      return fmt::format("too noisy to say whether the source builds of {} differ ({})", ends, figures);
    }
    return fmt::format("the source builds of {} do not differ enough ({}), so packaging or environment", ends, figures);
  }

  void put_change(model::Answer& answer, const Comparison& comparison, const StepDecision& decision) {
    answer.change = evidence_.as_change(comparison, answer.series, decision.estimate.location);
    answer.low = evidence_.as_change(comparison, answer.series, decision.low);
    answer.high = evidence_.as_change(comparison, answer.series, decision.high);
  }

  bool may_build() const { return settings_.most_builds <= 0 || progress_.builds < settings_.most_builds; }

  /// Builds and measures until nothing is open, or the builds are used up.
  Status search() {
    while (const auto at = next(knowledge_)) {
      if (!may_build() && built_.count(*at) == 0) return {};
      TBCI_ASSIGN(const Built built, build(*at));
      if (built.buildable) {
        TBCI_TRY(measure(*at));
      } else {
        TBCI_TRY(note_failed_build(*at, built.reason));
      }
      count_what_is_left();
    }
    return {};
  }

  bool wants(const Searched& one, std::size_t at) {
    const Interval interval = interval_of(row_of(one));
    return interval.good < at && at < interval.bad && row_of(one)[at] == Side::unknown;
  }

  Status note_failed_build(std::size_t at, const std::string& reason) {
    for (const Searched& one : searched_) {
      const bool telling = wants(one, at);
      put_side(one, at, Side::unbuildable);
      if (!telling) continue;
      TBCI_TRY(
          observer_.probe_decided({commit_of(at).id, one.series, Side::unbuildable, 0, 0, 0, 0, reason}, progress_));
    }
    return {};
  }

  /// Also of the classes that are the same binary: a change that was reverted.
  void put_side(const Searched& one, std::size_t at, Side side) {
    for (std::size_t other = 1; other < last(); ++other) {
      if (have_equal_inputs(at, other)) row_of(one)[other] = side;
    }
  }

  Status measure(std::size_t at) {
    std::map<model::Series, const Searched*> wanting;
    std::vector<model::Series> all;
    for (const Searched& one : searched_) {
      if (!wants(one, at)) continue;
      wanting[one.series] = &one;
      all.push_back(one.series);
    }
    for (const auto& [measured, series] : by_case(all)) {
      const Comparison probe = against_good_end(at, measured);
      TBCI_TRY(evidence_.gather(probe, series, [&](const model::Series& one, std::span<const double> effects) {
        return decide_side(effects, wanting[one]->step, settings_.sides).side != Side::unknown;
      }));
    }
    for (const auto& [series, one] : wanting) TBCI_TRY(judge_probe(*one, at));
    return {};
  }

  Status judge_probe(const Searched& one, std::size_t at) {
    const Comparison comparison = against_good_end(at, one.series.measured_case());
    const SeriesEvidence& found = evidence_.of(comparison, one.series);
    model::Probe probe{commit_of(at).id, one.series, Side::unbuildable, 0, 0, 0, static_cast<int>(found.pairs.size()),
                       found.failure};
    if (found.failure.empty()) {
      const SideDecision decision = decide_side(found.effects, one.step, settings_.sides);
      const double alpha = settings_.thresholds.for_series(one.series).clear_alpha;
      auto change = [&](double effect) { return evidence_.as_change(comparison, one.series, effect); };
      probe.side = decision.side;
      probe.change = change(decision.estimate.location);
      probe.low = change(detect::lower_bound(decision.estimate, alpha));
      probe.high = change(detect::upper_bound(decision.estimate, alpha));
    }
    put_side(one, at, probe.side);
    count_what_is_left();
    return observer_.probe_decided(probe, progress_);
  }

  /// True where a side was corrected, so that the search goes on.
  Result<bool> check_culprits() {
    bool corrected = false;
    for (Searched& one : searched_) {
      if (one.finished) continue;
      if (is_open(row_of(one))) {  // the builds are used up
        finish(one, fmt::format("stopped after {} builds", progress_.builds));
        continue;
      }
      TBCI_ASSIGN(const bool again, check_culprit(one));
      corrected = corrected || again;
    }
    return corrected;
  }

  void finish(Searched& one, const std::string& reason) {
    model::Answer& answer = answers_[one.answer];
    one.finished = true;
    answer.reason = reason;
    answer.suspects.clear();
    for (std::size_t at : suspects(row_of(one))) answer.suspects.push_back(commit_of(at).id);
  }

  /// The step beside the parent, turned so that it is above 0.
  StepDecision decide_culprit(const Searched& one, std::span<const double> effects) const {
    StepSettings steps = step_settings(one.series);
    steps.least = least_share_of_step * std::abs(one.step.size);
    steps.either_direction = false;
    std::vector<double> turned(effects.begin(), effects.end());
    if (one.step.size < 0) {
      for (double& effect : turned) effect = -effect;
    }
    StepDecision decision = decide_step(turned, steps);
    if (one.step.size < 0) {
      decision.estimate.location = -decision.estimate.location;
      decision.low = -std::exchange(decision.high, -decision.low);
    }
    return decision;
  }

  Result<bool> check_culprit(Searched& one) {
    const Interval interval = interval_of(row_of(one));
    const Comparison comparison{index_of(interval.good), index_of(interval.bad), one.series.measured_case()};
    TBCI_TRY(evidence_.gather(comparison, {one.series}, [&](const model::Series&, std::span<const double> effects) {
      return decide_culprit(one, effects).verdict != StepVerdict::more;
    }));
    const SeriesEvidence& found = evidence_.of(comparison, one.series);
    if (!found.failure.empty()) {
      finish(one, fmt::format("not checked beside the parent: {}", one_line(found.failure)));
      return false;
    }
    const StepDecision decision = decide_culprit(one, found.effects);
    if (decision.verdict == StepVerdict::shown) {
      put_change(answers_[one.answer], comparison, decision);
      finish(one, why_several(one, interval));
      return false;
    }
    return look_again(one, interval, comparison, decision);
  }

  std::string why_several(const Searched& one, const Interval& interval) {
    const std::size_t between = interval.bad - interval.good - 1;
    if (between == 0) return "";
    std::string reason;
    const std::size_t first = interval.good + 1;
    if (auto found = built_.find(first); found != built_.end() && !found->second.buildable) {
      reason = found->second.reason;
    } else {
      reason = evidence_.of(against_good_end(first, one.series.measured_case()), one.series).failure;
    }
    return fmt::format("{} commit{} before {} can't be built or measured ({}: {})", between, between == 1 ? "" : "s",
                       short_id(commit_of(interval.bad)), short_id(commit_of(first)), one_line(reason));
  }

  /// The culprit shows no step beside its parent, so one of the two sides is wrong: both are measured to the
  /// limit. Comes to an end, as a class that was measured to the limit keeps its side.
  Result<bool> look_again(Searched& one, const Interval& interval, const Comparison& comparison,
                          const StepDecision& decision) {
    bool corrected = false;
    for (std::size_t at : {interval.good, interval.bad}) {
      if (at == 0 || at == last()) continue;
      const Comparison probe = against_good_end(at, one.series.measured_case());
      TBCI_TRY(evidence_.gather(probe, {one.series}, [&](const model::Series&, std::span<const double> effects) {
        return static_cast<int>(effects.size()) >= settings_.sides.most_pairs;
      }));
      const Side earlier = row_of(one)[at];
      TBCI_TRY(judge_probe(one, at));
      corrected = corrected || row_of(one)[at] != earlier;
    }
    if (corrected) return true;
    model::Answer& answer = answers_[one.answer];
    put_change(answer, comparison, decision);
    finish(one, fmt::format("the search ended at {}, but beside its parent {} it shows no step ({}, between {} and {})",
                            short_id(commit_of(interval.bad)), short_id(commit_of(interval.good)),
                            human_change(answer.change), human_change(answer.low), human_change(answer.high)));
    answer.suspects.clear();
    return false;
  }

  const std::vector<model::Commit>& commits_;
  const Settings& settings_;
  Prober& prober_;
  Observer& observer_;
  std::stop_token stop_;
  std::vector<CommitClass> classes_;
  Progress progress_;
  Evidence evidence_;
  std::vector<model::Answer> answers_;
  std::vector<Searched> searched_;
  Knowledge knowledge_;
  std::map<std::size_t, Built> built_;
};

}  // namespace

Result<std::vector<model::Answer>> bisect(const std::vector<model::Commit>& commits,
                                          const std::vector<model::Series>& series, const Settings& settings,
                                          Prober& prober, Observer& observer, std::stop_token stop) {
  if (commits.size() < 2)
    return fail(ErrorKind::usage, "a bisection needs two commits at least: a good one and a bad one");
  return Bisector(commits, series, settings, prober, observer, std::move(stop)).run();
}

}  // namespace tbci::bisect
