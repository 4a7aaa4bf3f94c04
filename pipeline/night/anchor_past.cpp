#include "pipeline/night/anchor_past.hpp"

#include <algorithm>

#include "base/version_order.hpp"

namespace tbci::pipeline {

namespace {

// An average of 40 nights has forgotten what was before them; confirmations space out, up to years.
constexpr storage::LookWindow looked_back = {.newest = 40, .confirmations = 16};

}  // namespace

AnchorPast::AnchorPast(const std::vector<model::AnchorLook>& looks, const std::string& tonight, const KnownRise& rise) {
  for (const model::AnchorLook& look : looks) {
    const double known = rise.until(look.night);
    std::vector<detect::Pair>& pairs = pairs_.emplace_back();
    for (const auto& [before, after] : look.pairs)
      pairs.push_back(detect::with_rise(look.series.metric, {.before = before, .after = after}, known));
    detect::AnchorNight night{.night = look.night_number, .pairs = pairs, .confirmation = {}};
    // A look without pairs is a person's word alone, and a part of what is known.
    if (look.verdict && look.night != tonight && !pairs.empty())
      night.confirmation = {*look.verdict, look.effect - known};
    nights_.push_back(night);
  }
}

Result<AnchorView> view_of(SubjectContext& context, const model::Anchor& anchor, model::Build build,
                           const model::Night& tonight) {
  TBCI_ASSIGN(const auto first, context.stores.nights.first_number_after(context.name(), anchor.set));
  return AnchorView{.anchor = anchor, .build = std::move(build), .set_on = first.value_or(tonight.number)};
}

Result<detect::AnchorReading> reading_of(SubjectContext& context, const AnchorView& view, const model::Night& tonight,
                                         const model::Series& series, const KnownRise& rise, Tonight own) {
  TBCI_ASSIGN(auto looks, context.stores.anchors.looks(view.anchor.id, series, looked_back));
  std::erase_if(looks, [&](const model::AnchorLook& look) {
    return look.night == tonight.name ? own == Tonight::is_left_out : is_older(tonight.name, look.night);
  });
  const AnchorPast past(looks, tonight.name, rise);
  return detect::read_anchor(series, past.nights(), view.set_on, context.config.thresholds.for_series(series));
}

}  // namespace tbci::pipeline
