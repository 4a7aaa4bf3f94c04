// A night of a subject: its findings and its regressions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "storage/model/words.hpp"

namespace tbci::model {

enum class Verdict { clear, suspect, regression, improvement, inconclusive, environment_changed };
std::string_view to_string(Verdict verdict);
Result<Verdict> verdict_from(std::string_view text);
/// It says that the series changed, for the worse or the better.
constexpr bool is_change(Verdict verdict) {
  return verdict == Verdict::regression || verdict == Verdict::improvement;
}

/// What a screen or a confirmation found of one series: before and after are medians over processes in the metric's
/// unit; change and its interval are fractions of `before` (0.08 = 8% slower or larger). For leaks `before` may be 0:
/// then the change is infinite and the difference counts.
struct Finding {
  Series series;
  Verdict verdict = Verdict::clear;
  double before = 0, after = 0;
  double change = 0, low = 0, high = 0;
  int pairs = 0;       ///< interleaved pairs behind it; 0: from the screen alone
  std::string reason;  ///< one line, for people
};

/// Orders changes from nothing, all of which are infinite: by how much there is now. 0 for any other change.
double growth_from_nothing(const Finding& finding);

/// The stages that a night goes through, in order. Each is entered by a commit to the database.
enum class Stage { install, measure, confirm, bisect, report, done, failed };
std::string_view to_string(Stage stage);
Result<Stage> stage_from(std::string_view text);
/// Whether a night at this stage has its verdicts: what is left is the search for the culprits and the reports.
constexpr bool has_verdicts(Stage stage) {
  return stage == Stage::bisect || stage == Stage::report || stage == Stage::done;
}

/// One nightly of a subject against the one before it. (subject, name) is unique.
struct Night {
  std::int64_t id = 0;
  std::string subject;
  std::string name;      ///< of the nightly under test; nights follow each other as base/version_order.hpp says
  std::string baseline;  ///< of the nightly that it is compared with
  Stage stage = Stage::install;
  std::string note;  ///< why it failed, or what it could not finish
  TimePoint started{};
  std::optional<TimePoint> finished;
  int number = 0;  ///< among the subject's nights, in the order in which they were begun: 1, 2, 3, ...
};

/// How far the work on a regression is.
enum class RegressionState { confirmed, bisecting, attributed, unattributed, reported };
std::string_view to_string(RegressionState state);
Result<RegressionState> regression_state_from(std::string_view text);

/// What became of a regression.
enum class Standing {
  open,       ///< it is there, as far as is known
  recovered,  ///< three nights measured that it is gone
  accepted,   ///< a person wants the change: it is the new level
  dismissed,  ///< a person says that it is not one, or its series was muted
  relapsed,   ///< it had recovered, and its culprit is back
};
std::string_view to_string(Standing standing);
Result<Standing> standing_from(std::string_view text);
/// Whether somebody still has to do something about it.
inline bool is_open(Standing standing) {
  return standing == Standing::open || standing == Standing::relapsed;
}

/// A confirmed regression of one series. Those with one culprit share a report.
struct Regression {
  std::int64_t id = 0;
  std::int64_t night_id = 0;
  Finding finding;
  std::string old_build;  ///< name of the nightly that it was confirmed against; empty: the baseline of its night
  RegressionState state = RegressionState::confirmed;
  Standing standing = Standing::open;
  std::optional<std::int64_t> bisection_id;
  std::vector<std::string> suspects;  ///< commits: one = the culprit; several = they cannot be told apart
  std::string reason;                 ///< why there is no culprit
  std::optional<std::int64_t> report_id;
  int step = 0;  ///< of its series in its night: 0 is the largest, with all that the night found; others: themselves
};

/// Whether no report names it, nor will any: its night has failed. A later night has to find it.
inline bool is_untold(const Night& night, const Regression& regression) {
  return night.stage == Stage::failed && !regression.report_id && is_open(regression.standing);
}

/// One word for people: how far the work is, or what became of it once that is settled.
inline std::string_view progress_of(const Regression& regression) {
  return regression.standing == Standing::open ? to_string(regression.state) : to_string(regression.standing);
}

}  // namespace tbci::model
