// What earlier nights measured, as the baseline that tonight's build is compared with.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/version_order.hpp"
#include "detect/baseline.hpp"
#include "pipeline/subject_context.hpp"
#include "storage/model/measurement.hpp"
#include "storage/run_store.hpp"

namespace tbci::pipeline {

/// What a series usually is, and the nightly that a suspect is confirmed against.
struct KnownLevel {
  detect::Baseline baseline;
  std::string reference;
};

/// The nights before `tonight`, on this machine as it is now. Read once; the same store gives the same answers, so a
/// night that was cut off finds them again. Only the last nights are read: the cost does not grow with the years.
class LevelHistory {
 public:
  /// `run`: of tonight's screen, whose runner and environment the earlier nights must have.
  static Result<LevelHistory> read(SubjectContext& context, const model::Night& tonight, const model::Run& run);

  /// Nothing where the nights since the last event or accepted change are too few.
  Result<std::optional<KnownLevel>> level_of(const model::Series& series) const;
  /// The newest night that brought a confirmed change of the series: with an older build it would be found again.
  std::optional<std::string> beginning_of(const model::Series& series) const;
  /// The newest nightly before tonight whose own night has judged the case's time, on whatever machine. A step between
  /// that one and last night's has been seen by nobody: last night may have had no space, or a break in its way.
  /// Nothing: none of the last nights has.
  Result<std::optional<std::string>> last_screened(const model::Case& measured) const;
  /// What the screen that measured a nightly first gave of a series, one value per process; nothing: there was none.
  Result<std::vector<double>> first_values(const model::Series& series, const std::string& nightly) const;

 private:
  using Nightlies = std::set<std::string, OldestFirst>;

  LevelHistory(SubjectContext& context, const model::Night& tonight, const model::Run& run);
  void name_nightlies(const std::vector<model::Night>& nights);
  Status read_accepted(const std::vector<model::Night>& nights);
  Status read_events();
  Result<std::map<std::string, storage::HistoryPoint>> points_of(const model::Series& series) const;
  Nightlies restarts_of(const model::Series& series) const;

  SubjectContext* context_;
  std::string tonight_, runner_, environment_;
  std::vector<std::string> nightlies_;           // before tonight, the oldest first
  std::map<std::string, int> numbers_;           // their indices
  std::map<model::Series, Nightlies> accepted_;  // nights that brought a confirmed change
  std::map<model::Series, Nightlies> moved_;     // nights on which the machine moved the series
  Nightlies environments_;                       // nights on which the machine became another one
};

/// A night, and the run of its screen that counts.
struct ScreenedNight {
  std::string nightly;
  model::Run run;
};
/// The last night before one that this runner screened; nothing: there was none among the last nights.
Result<std::optional<ScreenedNight>> screened_before(SubjectContext& context, const model::Night& tonight,
                                                     const std::string& runner);

/// Notices that the machine is another one than on the last night, where it is, and says how.
Status notice_environment(SubjectContext& context, const model::Night& tonight, const model::Run& run);

/// The last nights of the subject before one, finished or not, the oldest first: as many as anybody looks back.
Result<std::vector<model::Night>> nights_before(SubjectContext& context, const model::Night& tonight);

}  // namespace tbci::pipeline
