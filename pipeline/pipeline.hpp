// The mission, top to bottom: take the new nightly, run the suite, store, flag, bisect, report.
//
// Each stage takes facts from the store and leaves facts in the store. Killed between any two instructions, the same
// call goes on where it was: nothing finished is done twice, and nothing is filed twice.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pipeline/subject_context.hpp"
#include "storage/model/improvement.hpp"
#include "storage/model/night.hpp"
#include "storage/model/report.hpp"

namespace tbci::pipeline {

struct NightChoice {
  std::string nightly = {};   ///< empty: the newest that is published
  std::string baseline = {};  ///< empty: the newest earlier one that was checked, else the one before it
  bool retry = false;         ///< try a failed night again, beginning with the installation
  /// Stops after the verdicts: a night with regressions stays at the stage `bisect`, for another call.
  bool verdicts_only = false;
};

struct NightResult {
  model::Night night;
  bool checked_before = false;  ///< it was finished already: nothing was done
  std::vector<model::Finding> findings;
  std::vector<model::Regression> regressions;
  std::vector<model::Improvement> improvements;  ///< where `[detect] improvements` asks for them
  std::vector<model::Report> reports;
};

/// Why a night says nothing about its nightly: no number was measured. Empty: some were. Pure.
std::string why_nothing_measured(const NightResult& result);

/// Compares one nightly with its baseline, from the index to the outbox. After an error the night stays where it is,
/// and the next call continues it. If the nightly itself is at fault, which only its installation shows, the night is
/// over: see give_up_night.
Result<NightResult> check_night(SubjectContext& context, const NightChoice& choice = {});

/// Ends an unfinished night for good. The regressions that it has confirmed are reported without a culprit. A night
/// with verdicts is done; any other night has failed. `why` becomes its note. Where the report fails and may succeed
/// later (no space, for one), this returns the error, and the night does not end.
Status give_up_night(SubjectContext& context, const model::Night& night, const std::string& why);

}  // namespace tbci::pipeline
