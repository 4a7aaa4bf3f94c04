// Two builds side by side: a loose screen over everything, then a strict confirmation of what it suspects.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "detect/retest_queue.hpp"
#include "pipeline/measure/measuring.hpp"
#include "pipeline/subject_context.hpp"
#include "storage/model/night.hpp"

namespace tbci::pipeline {

struct ComparisonPlan {
  std::string key;  ///< of its runs: `2026-01-07` makes `2026-01-07/screen` and `2026-01-07/confirm`
  Comparison builds;
  std::vector<model::Case> cases;
};

/// Measures every case on both builds, interleaved, in several fresh processes each, and holds each series against the
/// screen's threshold. One finding a series that has numbers; a case that stopped working is inconclusive with the
/// reason. A case that fails costs its own measurements alone.
Result<std::vector<model::Finding>> screen_builds(SubjectContext& context, const ComparisonPlan& plan);

/// Decides each suspect by fresh interleaved pairs, the worst first. One finding for each suspect.
Result<std::vector<model::Finding>> confirm_suspects(SubjectContext& context, const ComparisonPlan& plan,
                                                     const std::vector<model::Finding>& screened);

/// What is to be confirmed: the new build, and the old ones that the candidates name.
struct ConfirmationPlan {
  std::string key;  ///< of its runs, as above
  model::Build after;
  std::map<std::string, model::Build> old_builds;  ///< by name; a candidate whose old build is not there waits
  std::string usual;                               ///< the old build whose run has the plain key
  std::optional<TimePoint> until;                  ///< no case is begun after that
};

struct Confirmation {
  std::vector<model::Finding> findings;           ///< of what was looked at; with the evidence beside it
  std::vector<detect::TestedCandidate> outcomes;  ///< one for each candidate, in their order
};

/// Decides the candidates by fresh interleaved pairs, in their order; those of one case and old build together.
Result<Confirmation> confirm_candidates(SubjectContext& context, const ConfirmationPlan& plan,
                                        const std::vector<detect::Candidate>& candidates);

/// The findings of the screen with those that were confirmed in their places.
std::vector<model::Finding> merged(std::vector<model::Finding> screened, const std::vector<model::Finding>& confirmed);

}  // namespace tbci::pipeline
