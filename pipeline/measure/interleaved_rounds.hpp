// The measuring of a screen: every case, in several fresh processes, in rounds over all of them.
#pragma once

#include <functional>
#include <map>
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
  /// What the pairs say of a metric, in order; without those in which a process did not measure it.
  std::vector<detect::Pair> pairs_of(model::Metric metric) const;
};

/// Whether what was measured of a case decides all its series, so that it leaves the rounds.
using Decided = std::function<bool(const MeasuredCase&)>;

/// Measures `cases` in rounds: a machine that is slow for some minutes then moves one process of each case, which a
/// median forgives, and not all processes of one. A case leaves when `decided` says so, when it has had the most
/// processes, or when a side has failed in all of its least; one that is unsupported, after one. Progress hears
/// of each process (or pair).
Status measure_rounds(SubjectContext& context, const model::Run& run, const Comparison& builds,
                      std::vector<MeasuredCase>& cases, const Decided& decided);

/// Measures `cases` on a build alone, in a run of its own for a person, until each has as many processes as it needs:
/// what their processes gave.
using CaseMeasurements = std::map<model::Case, std::vector<model::Measurement>>;
Result<CaseMeasurements> measure_by_hand(SubjectContext& context, const model::Build& build,
                                         const std::vector<model::Case>& cases);

/// The cases as they are before anything was measured.
std::vector<MeasuredCase> unmeasured(const std::vector<model::Case>& cases);

bool always_fails(const std::vector<model::Measurement>& measurements);

}  // namespace tbci::pipeline
