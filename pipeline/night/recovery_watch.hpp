// Whether open regressions have gone away: tonight's build, in pairs with the build before the regression.
#pragma once

#include <optional>
#include <string>

#include "pipeline/measure/measuring.hpp"
#include "pipeline/measure/screening.hpp"
#include "pipeline/subject_context.hpp"
#include "storage/model/night.hpp"

namespace tbci::pipeline {

/// Nights in a row whose pairs must be clear before a regression counts as recovered.
inline constexpr int recovery_nights = 3;

/// Looks at the open regressions of earlier nights. If tonight's screen still shows at least the threshold, a
/// regression is measured only every fifth night (more rarely once it is open for 60: after a tenth of that time, and
/// after 50 nights at the latest), or while its looks are clear; on the other nights it counts as not clear. Without a
/// value in tonight's screen it counts neither way. The others are measured beside the build before them, once a night.
/// After `recovery_nights` clear ones in a row the regression is `recovered`. If that build is no longer available, one
/// that had the regression replaces it: the series must then be lower by what that one had of it. What a person
/// accepted of the series since then is left out. If there is no such build either, a note says so, and the regression
/// stays open. Breaks are looked at by pipeline/night/break_watch.hpp.
Status watch_recoveries(SubjectContext& context, const model::Night& night, const ComparisonPlan& plan,
                        const Screen& screen);

/// Whether the night's build is newer than the one on which the regression was found. One that is judged late is older,
/// and says nothing of the regression's end.
Result<bool> is_later(SubjectContext& context, const model::Night& night, const model::Regression& regression);

/// What tonight says of a regression of an earlier night.
struct TonightsLook {
  model::Verdict verdict{};
  std::string what;                     ///< why it counts as recovered: `clear in pairs with 2026-01-03`
  int nights_needed = recovery_nights;  ///< clear ones in a row, until it has
  std::optional<double> effect = {};    ///< as a model::RecoveryLook has it
};

/// Decides that a regression has recovered, with the further steps of its series: their culprits' slowdowns are gone
/// with the whole of it.
Status mark_recovered(SubjectContext& context, const model::Regression& largest, const std::string& reason);

/// Keeps it. After enough clear nights in a row the regression has recovered.
Status keep_recovery_look(SubjectContext& context, const model::Night& night, const model::Regression& regression,
                          const TonightsLook& look);

}  // namespace tbci::pipeline
