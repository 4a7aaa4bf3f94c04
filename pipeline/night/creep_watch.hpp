// Creep: tonight's build against the pinned anchor, a few cases a night.
#pragma once

#include <optional>
#include <vector>

#include "detect/retest_queue.hpp"
#include "pipeline/measure/measuring.hpp"

namespace tbci::pipeline {

/// The anchor as a night uses it.
struct AnchorWatch {
  model::Anchor anchor;
  model::Build build;                         ///< the pinned one
  std::vector<detect::Candidate> candidates;  ///< series that have crept: to be confirmed against it
};

/// Measures the cases whose turn it is on tonight's build and on the anchor, interleaved, keeps the pairs, and asks for
/// a confirmation where the average over the nights has risen. What is known to have risen
/// (pipeline/night/known_rise.hpp) is left out. A series with open creep is left out too: it has its report.
/// Nothing if no anchor is set, or if its build is no longer available (a note says so).
Result<std::optional<AnchorWatch>> watch_anchor(SubjectContext& context, const model::Night& night,
                                                const ComparisonPlan& plan);

/// The same for candidates of earlier nights that are compared with the anchor.
Status leave_out_known(SubjectContext& context, const model::Night& night, const AnchorWatch& watch,
                       std::vector<detect::Candidate>& carried);

/// Keeps what the confirmations against the anchor said.
Status keep_confirmations(SubjectContext& context, const model::Night& night, const AnchorWatch& watch,
                          const std::vector<detect::TestedCandidate>& outcomes);

}  // namespace tbci::pipeline
