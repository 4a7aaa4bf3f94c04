#include "web/queries/json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

namespace tbci::web::queries {

namespace {

using Json = nlohmann::json;

Json time_or_null(TimePoint time) {
  return time == TimePoint{} ? Json(nullptr) : Json(to_iso8601(time));
}
Json time_or_null(const std::optional<TimePoint>& time) {
  return time ? Json(to_iso8601(*time)) : Json(nullptr);
}
Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}
/// JSON knows no infinity.
Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

template <typename Items>
Json list_of(const Items& items) {
  Json list = Json::array();
  for (const auto& item : items) list.push_back(json_of(item));
  return list;
}

}  // namespace

Json json_of(const model::Commit& commit) {
  return {{"id", commit.id},
          {"author", text_or_null(commit.author)},
          {"email", text_or_null(commit.email)},
          {"time", time_or_null(commit.time)},
          {"subject", text_or_null(commit.subject)}};
}

Json json_of(const model::Bisection& bisection) {
  return {{"id", bisection.id},
          {"from", bisection.from},
          {"to", bisection.to},
          {"builds", bisection.builds},
          {"measurements", bisection.measurements},
          {"started", time_or_null(bisection.started)},
          {"finished", time_or_null(bisection.finished)}};
}

Json json_of(const model::Delivery& delivery) {
  return {
      {"channel", delivery.channel},
      {"state", std::string(to_string(delivery.state))},
      {"attempts", delivery.attempts},
      {"next_attempt", delivery.state == model::DeliveryState::pending ? time_or_null(delivery.next_attempt) : Json()},
      {"reference", text_or_null(delivery.reference)},
      {"error", text_or_null(delivery.error)}};
}

Json json_of(const RegressionView& view) {
  const model::Regression& regression = view.regression;
  return {{"id", regression.id},
          {"night", view.night},
          {"finding", json_of(regression.finding)},
          {"state", std::string(to_string(regression.state))},
          {"standing", std::string(to_string(regression.standing))},
          {"suspects", list_of(view.suspects)},
          {"bisection", view.bisection ? json_of(*view.bisection) : Json()},
          {"reason", text_or_null(regression.reason)},
          {"report_id", regression.report_id ? Json(*regression.report_id) : Json()},
          {"ended", view.ended ? json_of(*view.ended) : Json()}};
}

Json json_of(const EndingView& ending) {
  return {{"night", ending.night},
          {"improvement_id", ending.improvement_id ? Json(*ending.improvement_id) : Json()},
          {"commits", list_of(ending.commits)},
          {"revert", ending.revert ? json_of(*ending.revert) : Json()}};
}

Json json_of(const ImprovementView& view) {
  const model::Improvement& improvement = view.improvement;
  return {{"id", improvement.id},
          {"night", view.night},
          {"finding", json_of(improvement.finding)},
          {"old_build", improvement.old_build},
          {"state", std::string(to_string(improvement.state))},
          {"suspects", list_of(view.suspects)},
          {"bisection", view.bisection ? json_of(*view.bisection) : Json()},
          {"reason", text_or_null(improvement.reason)}};
}

Json json_of(const SeriesRow& row) {
  Json json = json_of(row.finding);
  json["confirmed"] = row.confirmed;
  return json;
}

Json json_of(const UnmeasuredCase& one) {
  return {{"benchmark", one.measured.benchmark},
          {"configuration", std::string(to_string(one.measured.configuration))},
          {"outcome", std::string(to_string(one.outcome))},
          {"reason", text_or_null(one.reason)},
          {"failed", one.failed},
          {"processes", one.processes}};
}

Json json_of(const model::Undelivered& one) {
  Json json = json_of(one.delivery);
  json["report"] = one.delivery.report_id;
  json["title"] = one.title;
  return json;
}

Json json_of(const SubjectView& subject) {
  return {{"name", subject.name},
          {"latest_night", subject.latest ? json_of(*subject.latest) : Json()},
          {"open_regressions", subject.open_regressions},
          {"waiting_improvements", subject.waiting_improvements},
          {"troubled_nights", list_of(subject.troubled)},
          {"unwatched_regressions", list_of(subject.unwatched)},
          {"undelivered_reports", list_of(subject.undelivered)},
          {"skipped_nightlies", list_of(subject.skipped)},
          {"silent_anchor", subject.silent_anchor ? json_of(*subject.silent_anchor) : Json()},
          {"unused_anchor", text_or_null(subject.unused_anchor.value_or(""))}};
}

Json json_of(const model::UnwatchedRegression& regression) {
  return {{"id", regression.id}, {"series", to_string(regression.series)}, {"last_night", regression.last_night}};
}

Json json_of(const model::SilentAnchor& anchor) {
  return {{"build", anchor.build}, {"last_night", text_or_null(anchor.last_night)}};
}

Json json_of(const model::SkippedNightly& skipped) {
  return {{"name", skipped.name},
          {"cause", std::string(to_string(skipped.cause))},
          {"reason", text_or_null(skipped.reason)},
          {"text", model::why_skipped(skipped)},
          {"seen", time_or_null(skipped.seen)},
          {"arrived", time_or_null(skipped.arrived)},
          {"given_up", time_or_null(skipped.given_up)}};
}

Json json_of(const model::TroubledNight& night) {
  return {{"night", night.night},
          {"stage", std::string(to_string(night.tries.stage))},
          {"tries", night.tries.tries},
          {"next_try", night.tries.given_up ? Json() : time_or_null(night.tries.next)},
          {"given_up", time_or_null(night.tries.given_up)},
          {"reason", text_or_null(night.tries.reason)}};
}

Json json_of(const model::Finding& finding) {
  return {{"series", to_string(finding.series)},
          {"benchmark", finding.series.benchmark},
          {"configuration", std::string(to_string(finding.series.configuration))},
          {"metric", std::string(to_string(finding.series.metric))},
          {"verdict", std::string(to_string(finding.verdict))},
          {"before", number(finding.before)},
          {"after", number(finding.after)},
          {"change", number(finding.change)},
          {"low", number(finding.low)},
          {"high", number(finding.high)},
          {"pairs", finding.pairs},
          {"reason", text_or_null(finding.reason)}};
}

Json json_of(const model::Night& night) {
  return {{"subject", night.subject},
          {"name", night.name},
          {"baseline", text_or_null(night.baseline)},
          {"stage", std::string(to_string(night.stage))},
          {"note", text_or_null(night.note)},
          {"started", time_or_null(night.started)},
          {"finished", time_or_null(night.finished)}};
}

Json json_of(const model::Build& build) {
  return {{"id", build.id},
          {"subject", build.subject},
          {"kind", std::string(to_string(build.kind))},
          {"name", build.name},
          {"state", std::string(to_string(build.state))},
          {"commit", text_or_null(build.product.commit)},
          {"version", text_or_null(build.product.version)},
          {"failure", text_or_null(build.failure)},
          {"started", time_or_null(build.started)},
          {"finished", time_or_null(build.finished)}};
}

Json json_of(const web::ActivitySnapshot& activity) {
  return {{"busy", activity.busy},
          {"subject", text_or_null(activity.subject)},
          {"stage", text_or_null(activity.stage)},
          {"about", text_or_null(activity.about)},
          {"step", text_or_null(activity.step)},
          {"last_note", text_or_null(activity.last_note)},
          {"done", activity.done},
          {"expected", activity.expected},
          {"since", activity.busy ? time_or_null(activity.since) : Json()},
          {"next_check", time_or_null(activity.next_check)}};
}

Json json_of(const ReportView& view) {
  const model::Report& report = view.report;
  return {{"id", report.id},
          {"subject", report.subject},
          {"marker", report.marker},
          {"title", report.title},
          {"body", report.body},
          {"rest", report.rest},
          {"labels", report.labels},
          {"created", time_or_null(report.created)},
          {"deliveries", list_of(view.deliveries)}};
}

Json json_of(const RegressionsView& view) {
  return {{"regressions", list_of(view.regressions)}, {"reports", list_of(view.reports)}};
}

Json json_of(const NightView& view) {
  Json changes = Json::array();
  for (const runner::FactChange& change : view.environment_changes)
    changes.push_back({{"fact", change.name}, {"before", change.before}, {"after", change.after}});
  return {{"night", json_of(view.night)},
          {"runner", text_or_null(view.runner)},
          {"environment", view.environment},
          {"environment_changes", changes},
          {"findings", list_of(view.rows)},
          {"not_measured", list_of(view.unmeasured)},
          {"regressions", list_of(view.found.regressions)},
          {"reports", list_of(view.found.reports)},
          {"improvements", list_of(view.improvements)},
          {"skipped_nightlies", list_of(view.skipped)}};
}

Json json_of(const HistoryNight& night) {
  Json json = {{"name", night.name},
               {"measured", time_or_null(night.measured)},
               {"value", number(night.value)},
               {"lowest", number(night.lowest)},
               {"highest", number(night.highest)},
               {"processes", night.processes},
               {"verdict", night.finding ? Json(std::string(to_string(night.finding->verdict))) : Json()},
               {"change", night.finding ? number(night.finding->change) : Json()},
               {"environment_change", text_or_null(night.environment_change)},
               {"regression", nullptr},
               {"improvement", nullptr},
               {"ended", text_or_null(night.ended)}};
  if (night.regression) {
    json["regression"] = {{"id", night.regression->id},
                          {"state", std::string(to_string(night.regression->state))},
                          {"change", number(night.regression->finding.change)},
                          {"suspects", night.regression->suspects},
                          {"reason", text_or_null(night.regression->reason)}};
  }
  if (night.improvement) {
    json["improvement"] = {{"id", night.improvement->id},
                           {"state", std::string(to_string(night.improvement->state))},
                           {"change", number(night.improvement->finding.change)},
                           {"suspects", night.improvement->suspects},
                           {"reason", text_or_null(night.improvement->reason)}};
  }
  return json;
}

Json json_of(const HistoryView& view) {
  Json json = {{"subject", view.subject},
               {"series", to_string(view.series)},
               {"benchmark", view.series.benchmark},
               {"configuration", std::string(to_string(view.series.configuration))},
               {"metric", std::string(to_string(view.series.metric))},
               {"runner", text_or_null(view.runner)},
               {"other_runners", view.other_runners},
               {"nights", list_of(view.nights)},
               {"earlier_nights", view.earlier},
               {"change_points", Json::array()},
               {"levels", Json::array()}};
  for (const auto& point : view.change_points) {
    json["change_points"].push_back({{"night", point.night},
                                     {"name", view.nights[point.night].name},
                                     {"before", number(point.before)},
                                     {"after", number(point.after)},
                                     {"change", number(point.change)},
                                     {"p", number(point.p)}});
  }
  for (const SeriesLevel& level : view.levels)
    json["levels"].push_back({{"first", level.first}, {"last", level.last}, {"value", number(level.value)}});
  return json;
}

Json json_of(const StatusView& status) {
  return {{"now", time_or_null(status.now)},
          {"activity", status.activity ? json_of(*status.activity) : Json()},
          {"subjects", list_of(status.subjects)},
          {"undelivered_digests", list_of(status.undelivered_digests)}};
}

std::string dumped(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tbci::web::queries
