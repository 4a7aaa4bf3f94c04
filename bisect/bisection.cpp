#include "bisect/bisection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/assert.hpp"
#include "base/text.hpp"
#include "bisect/attribution.hpp"
#include "bisect/build_scheduler.hpp"
#include "bisect/commit_classes.hpp"
#include "bisect/drift.hpp"
#include "bisect/measurements.hpp"
#include "bisect/open_series.hpp"

namespace tbci::bisect {
namespace {

/// The first probes of each case are measured in pairs with the good end, to detect a drift of the machine.
constexpr std::size_t paired_probes = 2;
/// Where the steps explain too little of the expected change.
constexpr std::size_t readings_of_doubted_end = 8;

class Bisector {
 public:
  Bisector(const std::vector<model::Commit>& commits, const std::vector<model::Series>& series,
           const SearchSettings& settings, Prober& prober, Observer& observer, std::stop_token stop)
      : settings_(settings),
        prober_(prober),
        observer_(observer),
        stop_(std::move(stop)),
        classes_(commits),
        measurements_(classes_.commits(), prober_, observer_, status_, stop_),
        attribution_(classes_, measurements_, settings_),
        interleaved_(settings.paired_cases) {
    for (const model::Series& one : series) {
      answers_.emplace_back().series = one;
      by_case_[one.measured_case()].push_back(one);
    }
  }

  Result<std::vector<model::Answer>> run() {
    TBCI_ASSIGN(const bool built, build_ends());
    if (!built) return answers_;
    for (std::size_t i = 0; i < answers_.size(); ++i)
      open_.push_back(
          {.answer = i, .search = SeriesSearch(classes_, answers_[i].series, settings_), .next = {}, .unreported = {}});
    TBCI_TRY(settings_.builders > 1 ? search_together() : search_in_turn());
    return answers_;
  }

 private:
  bool is_interleaved(const model::Case& measured) const {
    return settings_.interleave == Interleave::always || interleaved_.count(measured) != 0;
  }

  // Whose turn it is.

  /// Each round builds for all series at once: that takes the fewest rounds.
  Status search_together() {
    while (true) {
      for (OpenSeries& one : open_) {
        if (!one.finished) TBCI_TRY(advance(one));
      }
      update_status();
      const std::vector<std::size_t> wanted = builds_wanted(open_steps_of(open_));
      if (wanted.empty()) break;
      TBCI_TRY(build(wanted));
    }
    for (OpenSeries& one : open_) {
      if (!one.finished) finish_early(one);
    }
    return {};
  }

  /// The clearest step is located first, as it takes the fewest processes. Most often the others lie at its commit:
  /// they are then measured there and at its parent, and hardly anywhere else.
  Status search_in_turn() {
    for (OpenSeries& one : open_) TBCI_TRY(advance(one));  // the ends
    while (OpenSeries* const one = clearest(open_)) TBCI_TRY(search(*one));
    return {};
  }

  Status search(OpenSeries& one) {
    while (true) {
      TBCI_TRY(advance(one));
      if (one.finished) return {};
      update_status();
      const std::vector<std::size_t> wanted = builds_wanted(open_steps_of(one));
      if (wanted.empty()) {
        finish_early(one);
        return {};
      }
      TBCI_TRY(build(wanted));
    }
  }

  void answer_all(const std::string& reason) {
    for (model::Answer& answer : answers_) answer.reason = reason;
  }

  // Building.

  /// False when the search is over: all answers are given.
  Result<bool> build_ends() {
    if (classes_.binary_of(classes_.last()) == 0) {
      answer_all(attribution_.same_binary());
      return false;
    }
    status_.expected_builds = 2 + most_builds_of(classes_.count());
    status_.commits_in_doubt = classes_.last();
    for (std::size_t at : {std::size_t{0}, classes_.last()}) {
      TBCI_TRY(build({at}));
      const Built& built = built_[classes_.binary_of(at)];
      if (built.buildable) continue;
      answer_all(fmt::format("the {} end {} does not build: {}", at == 0 ? "good" : "bad",
                             short_id(classes_.commit_of(at)), one_line(built.reason)));
      return false;
    }
    status_.rounds = 0;
    return true;
  }

  std::vector<std::size_t> builds_wanted(const std::vector<OpenStep>& open_steps) const {
    std::size_t builders = std::max<std::size_t>(1, settings_.builders);
    if (settings_.most_builds > 0) {
      const int left = settings_.most_builds - status_.builds;
      if (left <= 0) return {};
      builders = std::min(builders, static_cast<std::size_t>(left));
    }
    return next_builds(open_steps, builders);
  }

  Status build(const std::vector<std::size_t>& classes) {
    TBCI_TRY(check_not_stopped(stop_));
    std::vector<model::Commit> commits;
    for (std::size_t at : classes) {
      commits.push_back(classes_.commit_of(classes_.binary_of(at)));  // the commit that is measured
      observer_.build_begun(commits.back(), status_);
    }
    TBCI_ASSIGN(const auto built, prober_.build_all(commits, stop_));
    TBCI_ASSERT(built.size() == classes.size());
    ++status_.rounds;
    for (std::size_t i = 0; i < classes.size(); ++i) {
      ++status_.builds;
      built_[classes_.binary_of(classes[i])] = built[i];
      observer_.build_finished(commits[i], built[i], status_);
      if (!built[i].buildable) TBCI_TRY(mark_lost_everywhere(classes[i], built[i].reason));
    }
    return {};
  }

  Status mark_lost_everywhere(std::size_t at, const std::string& reason) {
    for (OpenSeries& one : open_) {
      one.search.mark_lost(at);
      if (one.finished || !is_in_doubt(one, at)) continue;
      TBCI_TRY(observer_.probe_judged(attribution_.lost_probe(one.search, at, reason), status_));
    }
    return {};
  }

  // Measuring.

  /// Measures known builds until the series needs another build, or is finished.
  Status advance(OpenSeries& one) {
    while (!one.finished) {
      one.search.refresh(measurements_, is_interleaved(one.search.series().measured_case()));
      one.next = one.search.next_action();
      if (one.search.step() < 0 && !settings_.either_direction) {
        one.next = {};
        finish(one, attribution_.no_step(one.search));
        return {};
      }
      if (one.next.kind == NextAction::Kind::measure) {
        TBCI_TRY(measure(one, one.next.at));
        continue;
      }
      update_status();
      TBCI_TRY(report_probes(one));
      if (one.next.kind == NextAction::Kind::split) {
        const auto built =
            built_class_inside(one, [this](std::size_t at) { return built_.contains(classes_.binary_of(at)); });
        if (!built) return {};
        TBCI_TRY(measure(one, *built));
        continue;
      }
      TBCI_TRY(conclude(one));
    }
    return {};
  }

  Status measure(OpenSeries& one, std::size_t at) {
    const model::Case measured = one.search.series().measured_case();
    const CommitPair with_good_end{
        .reference = classes_.index_of(0), .probe = classes_.index_of(classes_.binary_of(at)), .measured = measured};
    one.unreported.insert(at);
    if (needs_pair(one, at, with_good_end)) {
      one.unreported.insert(0);
      TBCI_TRY(measurements_.add_pair(with_good_end, by_case_[measured]));
      TBCI_TRY(check_for_drift(one, with_good_end));
    } else {
      TBCI_TRY(measurements_.add_process(with_good_end.probe, measured, by_case_[measured]));
      if (is_noise_shared(one.search.sequence(measurements_))) interleaved_.insert(measured);
    }
    const std::string failure = failure_at(one, at, with_good_end);
    if (failure.empty()) return {};
    if (at == 0 || at == classes_.last()) {
      finish(one, fmt::format("the ends cannot be measured: {}", one_line(failure)));
      return {};
    }
    one.search.refresh(measurements_, is_interleaved(measured));
    if (one.search.has_readings(at)) {  // they count, but there will be no more
      one.search.close(at);
      return {};
    }
    one.search.mark_lost(at);
    one.unreported.erase(at);
    return observer_.probe_judged(attribution_.lost_probe(one.search, at, failure), status_);
  }

  std::string failure_at(const OpenSeries& one, std::size_t at, const CommitPair& with_good_end) const {
    const std::string& alone = measurements_.processes(with_good_end.probe, one.search.series()).failure;
    if (!alone.empty() || at == 0) return alone;
    return measurements_.pairs(with_good_end, one.search.series()).failure;
  }

  bool needs_pair(const OpenSeries& one, std::size_t at, const CommitPair& with_good_end) {
    if (at == 0) return false;
    if (settings_.interleave == Interleave::automatic && none_varies(with_good_end.measured)) return false;
    if (is_interleaved(with_good_end.measured)) return true;
    if (at == classes_.last()) return one.search.step() == 0;
    auto& paired = paired_[with_good_end.measured];
    if (measurements_.processes(with_good_end.probe, one.search.series()).values.empty() &&
        paired.size() < paired_probes)
      return paired.insert(at).second;
    return false;
  }

  /// A number that does not vary does not drift.
  bool none_varies(const model::Case& measured) const {
    return std::ranges::all_of(open_, [&](const OpenSeries& one) {
      return one.finished || one.search.series().measured_case() != measured || one.search.is_exact();
    });
  }

  /// Measures the case in pairs from now on, if the level of the good end has moved.
  Status check_for_drift(const OpenSeries& one, const CommitPair& with_good_end) {
    if (is_interleaved(with_good_end.measured)) return {};
    // The noise as it was without this pair: otherwise a drift would look like noise.
    const double noise = one.search.posterior().noise;
    const auto drift = [&] { return drift_of(one.search.sessions(measurements_), noise); };
    if (!measurements_.pairs(with_good_end, one.search.series()).failure.empty()) return {};
    if (drift() == DriftState::unsure)
      TBCI_TRY(measurements_.add_pair(with_good_end, by_case_[with_good_end.measured]));
    if (drift() == DriftState::drifting || are_correlated(one.search.pairs_of_ends(measurements_)))
      interleaved_.insert(with_good_end.measured);
    return {};
  }

  Status report_probes(OpenSeries& one) {
    for (std::size_t at : std::exchange(one.unreported, {})) {
      // A class that is lost by now has none, nor has one that was measured alone before the machine drifted.
      if (!one.search.has_readings(at)) continue;
      TBCI_TRY(observer_.probe_judged(attribution_.probe(one.search, at), status_));
    }
    return {};
  }

  // Answers.

  /// The steps are located: measures each culprit against its parent.
  Status conclude(OpenSeries& one) {
    if (one.next.brackets.empty()) {
      finish(one, attribution_.no_step(one.search));
      return {};
    }
    if (is_end_doubtful(one)) {
      one.search.require_readings(classes_.last(), readings_of_doubted_end);
      return {};
    }
    if (one.search.is_exact() && settings_.exact_check_pairs == 0) {
      if (const auto at = one.search.read_once()) return measure(one, *at);
    }
    for (const Bracket& bracket : one.next.brackets) {
      TBCI_ASSIGN(const bool confirmed, check_parent(one, bracket));
      if (!confirmed) return {};
    }
    finish(one, "");
    for (OpenSeries& other : open_) {
      if (!other.finished) other.search.expect_steps(one.next.brackets);
    }
    return {};
  }

  /// Asked once.
  bool is_end_doubtful(const OpenSeries& one) const {
    const model::Series& series = one.search.series();
    const auto expected = settings_.expected.find(series);
    if (expected == settings_.expected.end() || one.search.requires_readings(classes_.last())) return false;
    return explains_too_little(one, expected->second,
                               detect::least_effect(series.metric, settings_.thresholds.for_series(series)));
  }

  /// False if the culprit shows no step against its parent. The series is then measured again, or finished.
  Result<bool> check_parent(OpenSeries& one, const Bracket& bracket) {
    const CommitPair commit_pair = attribution_.parent_pair(one.search, bracket);
    const auto pairs = [&]() -> const PairReadings& { return measurements_.pairs(commit_pair, one.search.series()); };
    bool added = false;
    while (needs_check(one, bracket, pairs())) {
      if (!pairs().failure.empty()) {
        attribution_.fill_unchecked(one.search, bracket, answers_[one.answer]);
        one.finished = true;
        return false;
      }
      TBCI_TRY(measurements_.add_pair(commit_pair, by_case_[commit_pair.measured]));
      added = true;
    }
    // A pair may show that the number varies after all: the search looks at everything again.
    if (one.search.is_exact()) return !added;
    if (attribution_.check_parent(one.search, bracket) == ParentCheck::shown) return true;
    return remeasure(one, bracket);
  }

  bool needs_check(const OpenSeries& one, const Bracket& bracket, const PairReadings& pairs) const {
    if (one.search.is_exact()) return static_cast<int>(pairs.pairs.size()) < settings_.exact_check_pairs;
    return attribution_.check_parent(one.search, bracket) == ParentCheck::undecided;
  }

  /// One of the two sides is wrong. First the case is measured in pairs, in case the machine drifted; then both classes
  /// are measured up to the limit of readings. Each is done once, so the search ends.
  Result<bool> remeasure(OpenSeries& one, const Bracket& bracket) {
    const model::Case measured = one.search.series().measured_case();
    if (!is_interleaved(measured)) {
      interleaved_.insert(measured);
      return false;
    }
    bool again = false;
    for (std::size_t at : {bracket.good, bracket.bad}) {
      if (at == 0 || one.search.requires_readings(at)) continue;
      one.search.require_readings(at, settings_.certainty.most_readings);
      again = true;
    }
    if (!again) {
      attribution_.fill_absent(one.search, bracket, answers_[one.answer]);
      one.finished = true;
    }
    return false;
  }

  void finish(OpenSeries& one, const std::string& reason) {
    one.finished = true;
    attribution_.fill_answer(one.search, one.next, built_, answers_[one.answer]);
    if (!reason.empty()) answers_[one.answer].reason = reason;
  }

  void finish_early(OpenSeries& one) { finish(one, fmt::format("stopped after {} builds", status_.builds)); }

  void update_status() {
    status_.commits_in_doubt = commits_in_doubt(open_);
    status_.expected_builds = expected_builds(open_steps_of(open_));
  }

  const SearchSettings& settings_;
  Prober& prober_;
  Observer& observer_;
  std::stop_token stop_;
  CommitClasses classes_;
  SearchStatus status_;
  Measurements measurements_;
  Attribution attribution_;
  std::vector<model::Answer> answers_;
  std::map<model::Case, std::vector<model::Series>> by_case_;
  std::vector<OpenSeries> open_;
  std::map<std::size_t, Built> built_;
  std::set<model::Case> interleaved_;                    ///< cases that are measured in pairs
  std::map<model::Case, std::set<std::size_t>> paired_;  ///< probes measured in pairs before any drift
};

}  // namespace

Result<std::vector<model::Answer>> bisect(const std::vector<model::Commit>& commits,
                                          const std::vector<model::Series>& series, const SearchSettings& settings,
                                          Prober& prober, Observer& observer, std::stop_token stop) {
  if (commits.size() < 2)
    return fail(ErrorKind::usage, "a bisection needs at least two commits: a good one and a bad one");
  for (const auto& [one, weights] : settings.priors) {
    if (weights.size() != commits.size())
      return fail(ErrorKind::usage, "the prior of {} has {} weights for {} commits", model::to_string(one),
                  weights.size(), commits.size());
  }
  return Bisector(commits, series, settings, prober, observer, std::move(stop)).run();
}

}  // namespace tbci::bisect
