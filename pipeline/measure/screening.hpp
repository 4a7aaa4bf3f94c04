// The screen: two builds measured in turn, and every series judged by its pairs. Nothing is filed from it.
#pragma once

#include <vector>

#include "detect/retest_queue.hpp"
#include "pipeline/measure/interleaved_rounds.hpp"
#include "pipeline/measure/measuring.hpp"
#include "pipeline/subject_context.hpp"
#include "storage/model/night.hpp"

namespace tbci::pipeline {

/// What a screen says of a series, the old build that it was compared with, and the pairs that say so: they count in
/// the confirmation. Without pairs where the series was compared with its history.
using ScreenedSeries = detect::Suspect;

/// A case with all processes of the screen, and the old build that it was measured beside, or would be.
struct ScreenedCase {
  MeasuredCase results;
  std::string old_build;
};

struct Screen {
  model::Run run;
  std::vector<ScreenedSeries> series;
  std::vector<ScreenedCase> cases = {};  ///< one that was also measured beside an old build comes a second time
};

/// Measures every case on both builds, interleaved, in several fresh processes each, until the pairs decide its series.
/// One entry a series that has numbers; a case that stopped working is inconclusive with the reason. A case that fails
/// costs its own measurements alone.
Result<Screen> screen_builds(SubjectContext& context, const ComparisonPlan& plan);

/// The findings of what was screened, in order.
std::vector<model::Finding> findings_of(const std::vector<ScreenedSeries>& screened);

}  // namespace tbci::pipeline
