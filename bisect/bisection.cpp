#include "bisect/bisection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/assert.hpp"
#include "base/text.hpp"
#include "bisect/attribution.hpp"
#include "bisect/build_scheduler.hpp"
#include "bisect/commit_classes.hpp"
#include "bisect/measurements.hpp"
#include "bisect/series_search.hpp"

namespace tbci::bisect {
namespace {

/// So many of the first probes of a case are measured in pairs with the good end, to see whether the machine stands
/// still.
constexpr int anchored_probes = 2;

/// A series that is searched.
struct Open {
  std::size_t answer = 0;  ///< its index
  Regression regression;
  Need need;
  bool finished = false;
  std::set<std::size_t> read;  ///< classes that were measured since they were last told of
};

class Bisector {
 public:
  Bisector(const std::vector<model::Commit>& commits, const std::vector<model::Series>& series,
           const Settings& settings, Prober& prober, Observer& observer, std::stop_token stop)
      : settings_(settings),
        prober_(prober),
        observer_(observer),
        stop_(std::move(stop)),
        day_(commits),
        evidence_(Surroundings{day_.commits(), prober_, observer_, progress_, stop_}),
        answering_(day_, evidence_, settings_) {
    for (const model::Series& one : series) {
      answers_.push_back({one, {}, 0, 0, 0, "", 0, {}});
      by_case_[one.measured_case()].push_back(one);
    }
  }

  Result<std::vector<model::Answer>> run() {
    TBCI_ASSIGN(const bool built, build_ends());
    if (!built) return answers_;
    for (std::size_t i = 0; i < answers_.size(); ++i)
      open_.push_back({i, Regression(day_, answers_[i].series, settings_), {}, false, {}});
    while (true) {
      for (Open& one : open_) {
        if (!one.finished) TBCI_TRY(settle(one));
      }
      count_what_is_left();
      const std::vector<std::size_t> wanted = builds_wanted();
      if (wanted.empty()) break;
      TBCI_TRY(build(wanted));
    }
    for (Open& one : open_) {
      if (!one.finished) finish(one, fmt::format("stopped after {} builds", progress_.builds));
    }
    return answers_;
  }

 private:
  bool is_interleaved(const model::Case& measured) const {
    return settings_.interleave == Interleave::always || drifting_.count(measured) != 0;
  }

  void answer_all(const std::string& reason) {
    for (model::Answer& answer : answers_) answer.reason = reason;
  }

  // Building.

  /// False where the answer is given already.
  Result<bool> build_ends() {
    if (day_.binary_of(day_.last()) == 0) {
      answer_all(answering_.same_binary());
      return false;
    }
    progress_.expected_builds = 2 + most_builds_of(day_.classes());
    progress_.commits_in_doubt = day_.last();
    for (std::size_t at : {std::size_t{0}, day_.last()}) {
      TBCI_TRY(build({at}));
      const Built& built = built_[day_.binary_of(at)];
      if (built.buildable) continue;
      answer_all(fmt::format("the {} end {} does not build: {}", at == 0 ? "good" : "bad", short_id(day_.commit_of(at)),
                             one_line(built.reason)));
      return false;
    }
    progress_.rounds = 0;
    return true;
  }

  std::vector<Question> questions() const {
    std::vector<Question> all;
    for (const Open& one : open_) {
      if (one.finished || one.need.kind != Need::Kind::split) continue;
      for (const Gap& gap : one.need.gaps) all.push_back(one.regression.question(gap));
    }
    return all;
  }

  std::vector<std::size_t> builds_wanted() const {
    std::size_t builders = std::max<std::size_t>(1, settings_.builders);
    if (settings_.most_builds > 0) {
      const int left = settings_.most_builds - progress_.builds;
      if (left <= 0) return {};
      builders = std::min(builders, static_cast<std::size_t>(left));
    }
    return next_builds(questions(), builders);
  }

  Status build(const std::vector<std::size_t>& classes) {
    TBCI_TRY(go_on(stop_));
    std::vector<model::Commit> commits;
    for (std::size_t at : classes) {
      commits.push_back(day_.commit_of(day_.binary_of(at)));  // the one that is measured
      observer_.build_begun(commits.back(), progress_);
    }
    TBCI_ASSIGN(const auto built, prober_.build_all(commits, stop_));
    TBCI_ASSERT(built.size() == classes.size());
    ++progress_.rounds;
    for (std::size_t i = 0; i < classes.size(); ++i) {
      ++progress_.builds;
      built_[day_.binary_of(classes[i])] = built[i];
      observer_.build_finished(commits[i], built[i], progress_);
      if (!built[i].buildable) TBCI_TRY(lose_everywhere(classes[i], built[i].reason));
    }
    return {};
  }

  Status lose_everywhere(std::size_t at, const std::string& reason) {
    for (Open& one : open_) {
      one.regression.lose(at);
      if (one.finished || !is_in_doubt(one, at)) continue;
      TBCI_TRY(observer_.probe_decided(answering_.lost(one.regression, at, reason), progress_));
    }
    return {};
  }

  static bool is_in_doubt(const Open& one, std::size_t at) {
    return std::any_of(one.need.gaps.begin(), one.need.gaps.end(),
                       [&](const Gap& gap) { return gap.good < at && at < gap.bad; });
  }

  // Measuring.

  /// Reads what is there until the series wants a build, or is finished.
  Status settle(Open& one) {
    while (!one.finished) {
      one.regression.refresh(evidence_, is_interleaved(one.regression.series().measured_case()));
      one.need = one.regression.need();
      if (one.regression.step() < 0 && !settings_.either_direction) {
        one.need = {};
        finish(one, answering_.no_step(one.regression));
        return {};
      }
      if (one.need.kind == Need::Kind::read) {
        TBCI_TRY(measure(one, one.need.at));
        continue;
      }
      count_what_is_left();
      TBCI_TRY(tell_of_probes(one));
      if (one.need.kind == Need::Kind::split) {
        const auto built = built_class_inside(one);
        if (!built) return {};
        TBCI_TRY(measure(one, *built));
        continue;
      }
      TBCI_TRY(conclude(one));
    }
    return {};
  }

  /// What another series had built costs no build.
  std::optional<std::size_t> built_class_inside(const Open& one) const {
    std::vector<Question> inside;
    for (const Gap& gap : one.need.gaps) {
      Question question = one.regression.question(gap);
      for (std::size_t at = 0; at < question.states.size(); ++at) {
        const bool untried = question.states[at] == ClassState::untried && built_.count(day_.binary_of(at)) != 0;
        question.states[at] = untried ? ClassState::untried : ClassState::measured;
      }
      question.builds_left = 0;
      inside.push_back(std::move(question));
    }
    const auto found = next_builds(inside, 1);
    if (found.empty()) return std::nullopt;
    return found.front();
  }

  Status measure(Open& one, std::size_t at) {
    const model::Case measured = one.regression.series().measured_case();
    const Comparison beside{day_.index_of(0), day_.index_of(day_.binary_of(at)), measured};
    one.read.insert(at);
    if (wants_pair(one, at, beside)) {
      one.read.insert(0);
      TBCI_TRY(evidence_.add_pair(beside, by_case_[measured]));
      TBCI_TRY(look_at_machine(one, beside));
    } else {
      TBCI_TRY(evidence_.add_run(beside.probe, measured, by_case_[measured]));
    }
    const std::string failure = failure_at(one, at, beside);
    if (failure.empty()) return {};
    if (at == 0 || at == day_.last()) {
      finish(one, fmt::format("the ends can't be measured: {}", one_line(failure)));
      return {};
    }
    one.regression.lose(at);
    one.read.erase(at);
    return observer_.probe_decided(answering_.lost(one.regression, at, failure), progress_);
  }

  std::string failure_at(const Open& one, std::size_t at, const Comparison& beside) const {
    const std::string& alone = evidence_.runs(beside.probe, one.regression.series()).failure;
    if (!alone.empty() || at == 0) return alone;
    return evidence_.pairs(beside, one.regression.series()).failure;
  }

  bool wants_pair(const Open& one, std::size_t at, const Comparison& beside) {
    if (at == 0) return false;
    if (is_interleaved(beside.measured)) return true;
    if (at == day_.last()) return one.regression.step() == 0;
    auto& anchored = anchored_[beside.measured];
    if (evidence_.runs(beside.probe, one.regression.series()).values.empty() &&
        anchored.size() < static_cast<std::size_t>(anchored_probes))
      return anchored.insert(at).second;
    return false;
  }

  /// Measured in pairs from now on, if the good end is not what it was.
  Status look_at_machine(Open& one, const Comparison& beside) {
    if (is_interleaved(beside.measured)) return {};
    // As it was before: a machine that moves would pass for a noisy one.
    const double noise = one.regression.posterior().noise;
    one.regression.refresh(evidence_, false);
    const auto steadiness = [&] { return steadiness_of(one.regression.sittings(evidence_), noise); };
    if (!evidence_.pairs(beside, one.regression.series()).failure.empty()) return {};
    if (steadiness() == Steadiness::unsure) {
      TBCI_TRY(evidence_.add_pair(beside, by_case_[beside.measured]));
      one.regression.refresh(evidence_, false);
    }
    if (steadiness() == Steadiness::drifting || move_together(one.regression.pairs_of_ends(evidence_)))
      drifting_.insert(beside.measured);
    return {};
  }

  Status tell_of_probes(Open& one) {
    for (std::size_t at : std::exchange(one.read, {})) {
      // What was lost meanwhile has none, nor what was read alone once the machine was seen to move.
      if (!one.regression.has_readings(at)) continue;
      TBCI_TRY(observer_.probe_decided(answering_.probe(one.regression, at), progress_));
    }
    return {};
  }

  // Answering.

  /// The steps are where they are: each culprit is measured beside its parent.
  Status conclude(Open& one) {
    if (one.need.gaps.empty()) {
      finish(one, answering_.no_step(one.regression));
      return {};
    }
    for (const Gap& gap : one.need.gaps) {
      TBCI_ASSIGN(const bool stands, check(one, gap));
      if (!stands) return {};
    }
    finish(one, "");
    return {};
  }

  /// False where the culprit shows no step beside its parent: then the series is looked at again, or finished.
  Result<bool> check(Open& one, const Gap& gap) {
    const Comparison comparison = answering_.beside_parent(one.regression, gap);
    while (answering_.decide(one.regression, gap).verdict == BesideParent::more) {
      TBCI_TRY(evidence_.add_pair(comparison, by_case_[comparison.measured]));
      if (!evidence_.pairs(comparison, one.regression.series()).failure.empty()) return true;
    }
    if (answering_.decide(one.regression, gap).verdict == BesideParent::shown) return true;
    return look_again(one, gap);
  }

  /// One of the two sides is wrong. Was the machine moved? Then all is measured in pairs; else both are measured to the
  /// limit. Comes to an end, as each is done once.
  Result<bool> look_again(Open& one, const Gap& gap) {
    const model::Case measured = one.regression.series().measured_case();
    if (!is_interleaved(measured)) {
      drifting_.insert(measured);
      return false;
    }
    bool again = false;
    for (std::size_t at : {gap.good, gap.bad}) {
      if (at == 0 || one.regression.wants_readings(at)) continue;
      one.regression.want_readings(at, settings_.certainty.most_readings);
      again = true;
    }
    if (!again) {
      answering_.not_beside_parent(one.regression, gap, answers_[one.answer]);
      one.finished = true;
    }
    return false;
  }

  void finish(Open& one, const std::string& reason) {
    one.finished = true;
    answering_.give(one.regression, one.need, built_, answers_[one.answer]);
    if (!reason.empty()) answers_[one.answer].reason = reason;
  }

  void count_what_is_left() {
    std::set<std::size_t> in_doubt;
    for (const Open& one : open_) {
      for (const Gap& gap : one.need.gaps) {
        for (std::size_t at = gap.good + 1; at <= gap.bad; ++at) in_doubt.insert(at);
      }
    }
    progress_.commits_in_doubt = in_doubt.size();
    progress_.expected_builds = bisect::expected_builds(questions());
  }

  const Settings& settings_;
  Prober& prober_;
  Observer& observer_;
  std::stop_token stop_;
  Day day_;
  Progress progress_;
  Evidence evidence_;
  Answering answering_;
  std::vector<model::Answer> answers_;
  std::map<model::Case, std::vector<model::Series>> by_case_;
  std::vector<Open> open_;
  std::map<std::size_t, Built> built_;
  std::set<model::Case> drifting_;  ///< measured in pairs
  std::map<model::Case, std::set<std::size_t>> anchored_;
};

}  // namespace

Result<std::vector<Built>> Prober::build_all(const std::vector<model::Commit>& commits, std::stop_token stop) {
  std::vector<Built> all;
  for (const model::Commit& commit : commits) {
    TBCI_ASSIGN(auto built, build(commit, stop));
    all.push_back(std::move(built));
  }
  return all;
}

Result<std::vector<model::Answer>> bisect(const std::vector<model::Commit>& commits,
                                          const std::vector<model::Series>& series, const Settings& settings,
                                          Prober& prober, Observer& observer, std::stop_token stop) {
  if (commits.size() < 2)
    return fail(ErrorKind::usage, "a bisection needs two commits at least: a good one and a bad one");
  for (const auto& [one, weights] : settings.priors) {
    if (weights.size() != commits.size())
      return fail(ErrorKind::usage, "the prior of {} has {} weights for {} commits", model::to_string(one),
                  weights.size(), commits.size());
  }
  return Bisector(commits, series, settings, prober, observer, std::move(stop)).run();
}

}  // namespace tbci::bisect
