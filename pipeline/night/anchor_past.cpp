#include "pipeline/night/anchor_past.hpp"

#include <algorithm>
#include <cmath>

#include "base/version_order.hpp"

namespace tbci::pipeline {

namespace {

// An average of 40 nights has forgotten what was before them; confirmations space out, up to years.
constexpr storage::LookWindow looked_back = {.newest = 40, .confirmations = 16};
constexpr int nights_before_regression = 3;
constexpr int nights_after_regression = 400;

// As detect::effect measures it.
double effect_of(const model::Finding& finding) {
  return detect::is_leak(finding.series.metric) ? finding.after - finding.before : std::log1p(finding.change);
}

Result<bool> was_gone(SubjectContext& context, const AnchorView& view, const model::Night& tonight,
                      const model::Regression& regression, const model::Night& found) {
  const model::Series& series = regression.finding.series;
  const std::string& old_build = regression.old_build.empty() ? found.baseline : regression.old_build;
  // Where no night looked at the old build, the series stood where the anchor stands.
  TBCI_ASSIGN(const auto old_night, context.stores.nights.find(context.name(), old_build));
  std::vector<model::AnchorLook> before;
  if (old_night) {
    TBCI_ASSIGN(before,
                context.stores.anchors.looks_until(view.anchor.id, series, old_night->id, nights_before_regression));
  }
  TBCI_ASSIGN(const auto since,
              context.stores.anchors.looks_after(view.anchor.id, series, found.id, nights_after_regression));
  const AnchorPast past(before, tonight.name), later(since, tonight.name);
  return detect::was_gone(series, effect_of(regression.finding), past.nights(), later.nights(),
                          context.config.thresholds.for_series(series));
}

}  // namespace

AnchorPast::AnchorPast(const std::vector<model::AnchorLook>& looks, const std::string& tonight) {
  for (const model::AnchorLook& look : looks) {
    std::vector<detect::Pair>& pairs = pairs_.emplace_back();
    for (const auto& [before, after] : look.pairs) pairs.push_back({.before = before, .after = after});
    detect::AnchorNight night{.night = look.night_number, .pairs = pairs, .confirmation = {}};
    if (look.verdict && look.night != tonight) night.confirmation = {*look.verdict, look.effect};
    nights_.push_back(night);
  }
}

Result<AnchorView> view_of(SubjectContext& context, const model::Anchor& anchor, model::Build build,
                           const model::Night& tonight) {
  TBCI_ASSIGN(const auto first, context.stores.nights.first_number_after(context.name(), anchor.set));
  return AnchorView{.anchor = anchor, .build = std::move(build), .set_on = first.value_or(tonight.number)};
}

Result<detect::AnchorReading> reading_of(SubjectContext& context, const AnchorView& view, const model::Night& tonight,
                                         const model::Series& series, Tonight own) {
  TBCI_ASSIGN(auto looks, context.stores.anchors.looks(view.anchor.id, series, looked_back));
  std::erase_if(looks, [&](const model::AnchorLook& look) {
    return look.night == tonight.name ? own == Tonight::is_left_out : is_older(tonight.name, look.night);
  });
  const AnchorPast past(looks, tonight.name);
  return detect::read_anchor(series, past.nights(), view.set_on, context.config.thresholds.for_series(series));
}

Result<bool> is_explained(SubjectContext& context, const AnchorView& view, const model::Night& tonight,
                          const model::Series& series) {
  TBCI_ASSIGN(const auto open, context.stores.nights.open_regressions(context.name(), series));
  for (const model::Regression& regression : open) {
    if (regression.night_id == tonight.id) continue;
    TBCI_ASSIGN(const model::Night found, context.stores.nights.get(regression.night_id));
    const bool in_anchor = view.build.kind == model::BuildKind::nightly && !is_older(view.build.name, found.name);
    if (in_anchor) continue;
    // Opened again, by a person or as it relapsed: what was measured before that says nothing.
    TBCI_ASSIGN(const auto decisions, context.stores.decisions.of_regression(regression.id));
    if (!decisions.empty()) return true;
    TBCI_ASSIGN(const bool gone, was_gone(context, view, tonight, regression, found));
    if (!gone) return true;
  }
  return false;
}

}  // namespace tbci::pipeline
