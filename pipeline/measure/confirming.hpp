// The confirmation: strict verdicts on what the screen suspects, from fresh interleaved pairs and those of the screen.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "detect/retest_queue.hpp"
#include "pipeline/measure/measuring.hpp"
#include "pipeline/measure/screening.hpp"
#include "pipeline/subject_context.hpp"
#include "storage/model/night.hpp"

namespace tbci::pipeline {

/// What is to be confirmed: the new build, and the old ones that the candidates name.
struct ConfirmationPlan {
  std::string key;  ///< prefix of its runs, as of a ComparisonPlan
  model::Build after;
  std::map<std::string, model::Build> old_builds;  ///< by name; a candidate whose old build is not there waits
  std::string usual;                               ///< the old build whose run has the plain key
  std::optional<TimePoint> until;                  ///< no case is begun after that
  const Screen* screen = nullptr;  ///< its pairs count where the machine is still the same; nullptr: none
};

struct Confirmation {
  std::vector<model::Finding> findings;           ///< of what was looked at; secondary metrics beside it
  std::vector<detect::TestedCandidate> outcomes;  ///< one for each candidate, in their order
};

/// Judges the candidates by interleaved pairs, in their order; those of one case and old build together. Once the time
/// of a case is confirmed to be worse, the others beside that old build go on in the order of by_expected_hit.
Result<Confirmation> confirm_candidates(SubjectContext& context, const ConfirmationPlan& plan,
                                        const std::vector<detect::Candidate>& candidates);

/// Judges the suspects of a screen of these builds, the worst first. One finding for each suspect.
Result<std::vector<model::Finding>> confirm_suspects(SubjectContext& context, const ComparisonPlan& plan,
                                                     const Screen& screen);

/// The findings of the screen, with the confirmed ones in their places.
std::vector<model::Finding> merged(std::vector<model::Finding> screened, const std::vector<model::Finding>& confirmed);

}  // namespace tbci::pipeline
