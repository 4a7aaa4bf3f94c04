// What of a series is known to have risen since the anchor, because a regression says so: it needs no second report.
#pragma once

#include <string>
#include <vector>

#include "pipeline/subject_context.hpp"
#include "storage/model/night.hpp"

namespace tbci::pipeline {

struct AnchorView;

/// Effects (as detect::effect measures them) by the night that found them.
class KnownRise {
 public:
  /// That night found a change of `effect` more. Nights are added from the older to the newer.
  void add(const std::string& night, double effect);
  /// That night's level against the anchor, all of it, is accepted.
  void set(const std::string& night, double level);
  /// What was known to have risen up to a night, with what that night found.
  double until(const std::string& night) const;
  /// Creep against this anchor is open: its report is there, and creep that goes on is not news.
  bool has_open_creep = false;

 private:
  struct LevelOfNight {
    std::string night;
    double total;
  };
  std::vector<LevelOfNight> levels_;
};

/// What the regressions of the series that were found before `night` explain of its rise since the anchor: those that
/// are open, and those that a person accepted, each by what it was found to be. With `--anchor` a person accepted the
/// whole level of that night. Not counted are those that
/// - were found before the anchor's build, which then has the step as well;
/// - were gone for some nights since (detect::was_gone), and were not reopened by a decision: what rises later is
///   something else.
/// A change that several nights found counts once.
Result<KnownRise> known_rise(SubjectContext& context, const AnchorView& view, const model::Night& night,
                             const model::Series& series);

/// The same for a regression that was confirmed against an anchor, as far as it was known then; 0 for any other. With
/// what a person accepted of the changes that its night found of the series.
Result<double> rise_before(SubjectContext& context, const model::Regression& regression);

/// What regressions of the series that were found after `old_build`, and before `night`, have brought since; of those
/// that recovered nothing. 0 for most: a series is compared with a build that has what was found of it. Where that
/// build is not available, an older one takes its place.
Result<double> rise_since(SubjectContext& context, const std::string& old_build, const model::Night& night,
                          const model::Series& series);

/// What a person accepted of other changes of the series that nights after `since`, and before tonight, found:
/// tonight's build has it, whether this regression has gone or not.
Result<double> accepted_since(SubjectContext& context, const model::Regression& regression, const std::string& since,
                              const model::Night& tonight);

/// Of a regression that was confirmed against an anchor: the suspects of earlier regressions of its series between the
/// two builds. Its own report leaves them out. Regressions that a person dismissed do not count. None for any other
/// regression.
Result<std::vector<std::string>> known_commits(SubjectContext& context, const model::Regression& regression);

}  // namespace tbci::pipeline
