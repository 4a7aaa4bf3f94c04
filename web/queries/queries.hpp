// What a person wants to know about the nights. It is read from the database once, then shown as a page, as JSON, or in
// the terminal. All three use these structs, so they cannot disagree.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "runner/environment/readable_diff.hpp"
#include "storage/model/anchor.hpp"
#include "storage/model/bisection.hpp"
#include "storage/model/build.hpp"
#include "storage/model/decision.hpp"
#include "storage/model/measurement.hpp"
#include "storage/model/night.hpp"
#include "storage/model/night_try.hpp"
#include "storage/model/report.hpp"
#include "storage/model/skipped_nightly.hpp"
#include "web/activity.hpp"
#include "web/queries/improvements.hpp"

namespace tbci::storage {
class Database;
}

namespace tbci::web::queries {

/// A series in the table of a night.
struct SeriesRow {
  model::Finding finding;  ///< of the confirmation if there was one, else of the screen
  bool confirmed = false;  ///< whether `finding` is of the confirmation
};

/// A case that was not measured, or not by all of its processes.
struct UnmeasuredCase {
  model::Case measured;
  model::Outcome outcome{};  ///< of the last process that failed
  std::string reason;
  int failed = 0;     ///< number of failed processes
  int processes = 0;  ///< number of all processes of the case
};

struct RegressionView {
  model::Regression regression;
  std::string night;
  std::vector<model::Commit> suspects;  ///< in the regression's order; only the id if no more is known
  std::optional<model::Bisection> bisection;
  std::optional<EndingView> ended = {};  ///< where it recovered
};

struct ReportView {
  model::Report report;
  std::vector<model::Delivery> deliveries;
};

/// Regressions, oldest first, and the reports that they share.
struct RegressionsView {
  std::vector<RegressionView> regressions;
  std::vector<ReportView> reports;
};

struct NightView {
  model::Night night;
  std::string runner;                              ///< empty: nothing measured yet
  std::map<std::string, std::string> environment;  ///< facts of that machine
  /// What changed on it since the night that was measured before; empty: nothing, or no such night is known.
  std::vector<runner::FactChange> environment_changes;
  std::string environment_change;                   ///< the same as a sentence
  std::vector<SeriesRow> rows;                      ///< the worst verdict first, then the largest change
  std::vector<UnmeasuredCase> unmeasured;           ///< by case
  RegressionsView found;                            ///< in this night
  std::vector<ImprovementView> improvements;        ///< of this night, where they are asked for
  std::vector<model::SkippedNightly> skipped = {};  ///< between its baseline and it, the oldest first
};

struct SubjectView {
  std::string name;
  std::optional<model::Night> latest;
  int open_regressions = 0;
  int waiting_improvements = 0;                ///< for the search for their commits
  std::vector<model::TroubledNight> troubled;  ///< unfinished ones that failed, and those recently given up
  std::vector<model::UnwatchedRegression> unwatched;
  std::vector<model::SkippedNightly>
      skipped;  ///< those waited for, and those skipped since the latest night's baseline
  std::vector<model::Undelivered> undelivered;
  std::optional<model::SilentAnchor> silent_anchor;
  std::optional<std::string> unused_anchor;  ///< build of an anchor that the configuration measures nothing beside
};

/// A night in trouble as a sentence: `2026-01-07 failed 3 times (at measure); tbci tries it again at ...: full disk`.
std::string trouble_text(const model::TroubledNight& night);

/// `no night since 2026-01-07 could tell whether regression 12 (dlrm/cpu-infer/time) is gone: ...`.
std::string unwatched_text(const model::UnwatchedRegression& regression);

/// `report 3 is not delivered to github after 2 attempts; tbci tries again at ...: status 401, ...`.
std::string undelivered_text(const model::Undelivered& one);

/// `tbci waits for 2.14.0.dev20261118 since ...: not complete yet: no wheel` or `2.14.0.dev20261118 is skipped: ...`.
std::string skipped_text(const model::SkippedNightly& one);

/// `the nightlies between the two were not measured: 2.14.0.dev20261118 (yanked), ...`; empty where there are none. At
/// most ten are named.
std::string gap_text(const std::vector<model::SkippedNightly>& skipped);

/// `tbci has not looked for creep since 2026-01-07: the last 3 nights measured nothing beside the anchor ...`.
std::string silence_text(const model::SilentAnchor& anchor);

/// Whether the configuration asks for a search for creep (`[measure] anchor_cases` is not 0).
enum class Creep { looked_for, switched_off };
/// `tbci does not look for creep, because the configuration says so ...`; `anchor` is the build's name.
std::string switched_off_text(const std::string& anchor);

struct StatusView {
  TimePoint now{};
  std::optional<web::ActivitySnapshot> activity;  ///< nullopt outside the service
  std::vector<SubjectView> subjects;
  std::vector<model::Undelivered> undelivered_digests = {};  ///< of no subject: they are about all
};

/// Everything that the page of one subject shows.
struct PageView {
  StatusView status;
  std::string subject;             ///< empty: there is none
  std::optional<NightView> night;  ///< the chosen one
  std::vector<model::Night> nights;
  RegressionsView earlier;          ///< open regressions of other nights
  std::vector<ReportView> reports;  ///< the latest first
};

// Each function reads one consistent snapshot of the database. Errors are those of the database.

Result<StatusView> status_view(storage::Database& database, const std::vector<std::string>& subjects,
                               std::optional<web::ActivitySnapshot> activity, TimePoint now,
                               Creep creep = Creep::looked_for);
/// The night of that name, or the latest for an empty name. nullopt if there is none.
Result<std::optional<NightView>> night_view(storage::Database& database, const std::string& subject,
                                            const std::string& name);
/// The regressions of the latest `nights` nights in any state, and all open ones.
Result<RegressionsView> regressions_view(storage::Database& database, const std::string& subject, int nights);
/// nullopt if there is no report with that id.
Result<std::optional<ReportView>> report_view(storage::Database& database, std::int64_t id);

/// Which page to show.
struct PageChoice {
  std::vector<std::string> subjects;  ///< that are configured
  std::string subject;                ///< one of them
  std::string night;                  ///< empty: the latest
  Creep creep = Creep::looked_for;
};
/// `night` of the result is nullopt if the chosen one does not exist.
Result<PageView> page_view(storage::Database& database, const PageChoice& choice,
                           std::optional<web::ActivitySnapshot> activity, TimePoint now);

}  // namespace tbci::web::queries
