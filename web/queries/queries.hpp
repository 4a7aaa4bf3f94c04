// What a person wants to know of the nights: read from the database once, then shown as a page, as JSON, or in the
// terminal. All three are made of these structs, so they cannot disagree.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "runner/environment.hpp"
#include "storage/model/bisection.hpp"
#include "storage/model/build.hpp"
#include "storage/model/measurement.hpp"
#include "storage/model/night.hpp"
#include "storage/model/report.hpp"
#include "web/activity.hpp"

namespace tbci::storage {
class Database;
}

namespace tbci::web::queries {

struct Row {
  model::Finding finding;  ///< of the confirmation, where there was one, else of the screen
  bool confirmed = false;  ///< whether it is of the confirmation
};

/// A case that gave no number, or not from every process.
struct Gap {
  model::Case measured;
  model::Outcome outcome{};  ///< of its last process that was not done
  std::string reason;
  int failed = 0;     ///< processes that were not done
  int processes = 0;  ///< all of that case
};

struct RegressionView {
  model::Regression regression;
  std::string night;
  std::vector<model::Commit> suspects;  ///< as the regression lists them; only the id where no more is known
  std::optional<model::Bisection> bisection;
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
  /// What has changed on it since the last night before that was measured; empty: nothing, or none is known.
  std::vector<runner::FactChange> environment_changes;
  std::string environment_change;  ///< the same as a sentence
  std::vector<Row> rows;           ///< the gravest verdict first, then the largest change
  std::vector<Gap> gaps;           ///< by case
  RegressionsView found;           ///< in this night
};

struct SubjectView {
  std::string name;
  std::optional<model::Night> latest;
  int open_regressions = 0;
};

struct StatusView {
  TimePoint now{};
  std::optional<web::ActivityPicture> activity;  ///< nothing where no service is asked
  std::vector<SubjectView> subjects;
};

/// All that the page of one subject shows.
struct PageView {
  StatusView status;
  std::string subject;             ///< empty: there is none
  std::optional<NightView> night;  ///< the chosen one
  std::vector<model::Night> nights;
  RegressionsView earlier;          ///< open regressions of other nights
  std::vector<ReportView> reports;  ///< the latest first
};

// Each reads one consistent picture of the database. Errors are the database's own.

Result<StatusView> status_view(storage::Database& database, const std::vector<std::string>& subjects,
                               std::optional<web::ActivityPicture> activity, TimePoint now);
/// The night of that name, or the latest where the name is empty. Nothing where there is none.
Result<std::optional<NightView>> night_view(storage::Database& database, const std::string& subject,
                                            const std::string& name);
/// Those of the latest `nights` nights, whatever their state, and all that are open.
Result<RegressionsView> regressions_view(storage::Database& database, const std::string& subject, int nights);
/// Nothing where there is no report of that id.
Result<std::optional<ReportView>> report_view(storage::Database& database, std::int64_t id);

struct Choice {
  std::vector<std::string> subjects;  ///< that are configured
  std::string subject;                ///< one of them
  std::string night;                  ///< empty: the latest
};
/// `night` of the result is nothing where the chosen one does not exist.
Result<PageView> page_view(storage::Database& database, const Choice& choice,
                           std::optional<web::ActivityPicture> activity, TimePoint now);

}  // namespace tbci::web::queries
