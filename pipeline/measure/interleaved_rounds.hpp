// The measuring of a screen: every case, in several fresh processes, in sweeps over all of them.
#pragma once

#include <vector>

#include "pipeline/measure/measuring.hpp"
#include "pipeline/subject_context.hpp"

namespace tbci::pipeline {

/// A case, and what its processes gave.
struct MeasuredCase {
  model::Case measured;
  bool beside = true;  ///< the old build is measured as well, in turn with the new one
  std::vector<model::Measurement> before = {}, after = {};

  bool is_unsupported() const;  ///< by all builds that are measured
};

/// Measures `cases` in sweeps: a machine that is slow for some minutes then moves one process of each case, which a
/// median forgives, and not all processes of one. A case takes part until it is known well enough; one that is
/// unsupported, once. Tells a step before each process (or pair).
Status measure_rounds(SubjectContext& context, const model::Run& run, const Comparison& builds,
                      std::vector<MeasuredCase>& cases);

/// The cases as they are before anything was measured.
std::vector<MeasuredCase> unmeasured(const std::vector<model::Case>& cases);

bool always_fails(const std::vector<model::Measurement>& measurements);

}  // namespace tbci::pipeline
