// Whether open regressions have gone away: tonight's build, in pairs with the build before the regression.
#pragma once

#include "pipeline/measure/measuring.hpp"
#include "pipeline/measure/screening.hpp"
#include "pipeline/subject_context.hpp"
#include "storage/model/night.hpp"

namespace tbci::pipeline {

/// Nights in a row whose pairs must be clear before a regression counts as recovered.
inline constexpr int recovery_nights = 3;

/// Looks at the open regressions of earlier nights. One whose series is tonight still as far off as the threshold is
/// measured every fifth night only, and while its looks are clear: on the other nights it is not clear. One of which
/// the screen has no value tonight counts neither way. The others are measured beside the build before them, once a
/// night. After `recovery_nights` clear ones in a row the regression is `recovered`. Where that build is not available
/// any more, one that had the regression takes its place: the series must be less by all of the regression. Where no
/// such build can be had either, a note says so, and the regression stays open. Breaks are looked at by
/// pipeline/night/break_watch.hpp.
Status watch_recoveries(SubjectContext& context, const model::Night& night, const ComparisonPlan& plan,
                        const Screen& screen);

/// What tonight says of a regression of an earlier night.
struct TonightsLook {
  model::Verdict verdict{};
  std::string what;                     ///< why it counts as recovered: `clear in pairs with 2026-01-03`
  int nights_needed = recovery_nights;  ///< clear ones in a row, until it has
};

/// Keeps it. After enough clear nights in a row the regression has recovered.
Status keep_recovery_look(SubjectContext& context, const model::Night& night, const model::Regression& regression,
                          const TonightsLook& look);

}  // namespace tbci::pipeline
