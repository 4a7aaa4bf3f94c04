// What earlier nights measured, as the baseline that tonight's build is held against.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "detect/baseline.hpp"
#include "pipeline/subject_context.hpp"
#include "storage/model/measurement.hpp"

namespace tbci::pipeline {

/// What a series usually is, and the nightly that a suspect is confirmed against.
struct KnownLevel {
  detect::Baseline baseline;
  std::string reference;
};

/// The nights before `tonight`, on this machine as it is now. Read once; the same store gives the same answers, so a
/// night that was cut off finds them again.
class LevelHistory {
 public:
  /// `run`: of tonight's screen, whose runner and environment the earlier nights must have.
  static Result<LevelHistory> read(SubjectContext& context, const model::Night& tonight, const model::Run& run);

  /// Nothing where the nights since the last event or accepted change are too few.
  Result<std::optional<KnownLevel>> level_of(const model::Series& series) const;

 private:
  LevelHistory(SubjectContext& context, const model::Night& tonight, const model::Run& run);
  Status read_accepted(const std::vector<model::Night>& nights);

  SubjectContext* context_;
  std::string tonight_, runner_, environment_;
  std::map<std::string, int> names_;                         // of nightlies before tonight, numbered by age
  std::map<model::Series, std::set<std::string>> accepted_;  // nights that brought a confirmed change
};

/// Notices that the machine is another one than on the last night, where it is, and says how.
Status notice_environment(SubjectContext& context, const model::Night& tonight, const model::Run& run);

/// The nights of the subject before one, finished or not, the oldest first.
Result<std::vector<model::Night>> nights_before(SubjectContext& context, const model::Night& tonight);

}  // namespace tbci::pipeline
