// Creep: tonight's build against the pinned anchor, a few cases a night.
#pragma once

#include <optional>
#include <vector>

#include "pipeline/measure/measuring.hpp"

namespace tbci::pipeline {

/// What a night has to do with the anchor.
struct AnchorWatch {
  model::Anchor anchor;
  model::Build build;                         ///< the pinned one
  std::vector<detect::Candidate> candidates;  ///< series that have crept: to be confirmed against it
};

/// Measures the cases whose turn it is on tonight's build and on the anchor, interleaved, keeps the pairs, and asks for
/// a confirmation where the average over the nights has risen. A series whose rise an open regression explains is not
/// asked for: its report is there (is_explained, pipeline/night/anchor_past.hpp). Nothing where no anchor is set, or
/// its build cannot be had any more (told in a note).
Result<std::optional<AnchorWatch>> watch_anchor(SubjectContext& context, const model::Night& night,
                                                const ComparisonPlan& plan);

/// Keeps what the confirmations against the anchor said.
Status keep_confirmations(SubjectContext& context, const model::Night& night, const AnchorWatch& watch,
                          const std::vector<detect::TestedCandidate>& outcomes);

}  // namespace tbci::pipeline
