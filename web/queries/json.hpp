// The views as JSON. Enumerations as their words, times as ISO 8601 in UTC, changes as fractions (null: infinite),
// values in the metric's unit (ns or bytes), absent things as null.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "web/queries/history.hpp"
#include "web/queries/queries.hpp"

namespace tbci::web::queries {

nlohmann::json json_of(const StatusView& status);
nlohmann::json json_of(const NightView& night);
nlohmann::json json_of(const RegressionsView& regressions);
nlohmann::json json_of(const ReportView& report);
nlohmann::json json_of(const HistoryView& history);
nlohmann::json json_of(const web::ActivitySnapshot& activity);
nlohmann::json json_of(const model::Night& night);
nlohmann::json json_of(const model::TroubledNight& night);
nlohmann::json json_of(const model::UnwatchedRegression& regression);
nlohmann::json json_of(const model::SilentAnchor& anchor);
nlohmann::json json_of(const model::SkippedNightly& skipped);
nlohmann::json json_of(const model::Build& build);
nlohmann::json json_of(const model::Finding& finding);
nlohmann::json json_of(const model::Commit& commit);
nlohmann::json json_of(const model::Bisection& bisection);
nlohmann::json json_of(const model::Delivery& delivery);
nlohmann::json json_of(const model::Undelivered& one);
nlohmann::json json_of(const RegressionView& regression);
nlohmann::json json_of(const ImprovementView& improvement);
nlohmann::json json_of(const EndingView& ending);
nlohmann::json json_of(const SubjectView& subject);
nlohmann::json json_of(const SeriesRow& row);
nlohmann::json json_of(const UnmeasuredCase& one);
nlohmann::json json_of(const HistoryNight& night);

/// As text, two spaces a level; bytes that are not UTF-8 become U+FFFD.
std::string dumped(const nlohmann::json& json);

}  // namespace tbci::web::queries
