#include "pipeline/night/recovery_reference.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "detect/effect.hpp"
#include "pipeline/measure/building.hpp"
#include "pipeline/night/known_rise.hpp"

namespace tbci::pipeline {

namespace {

using model::Regression;

Result<std::string> old_build_of(SubjectContext& context, const Regression& regression) {
  if (!regression.old_build.empty()) return regression.old_build;
  return context.stores.nights.get(regression.night_id).map([](const model::Night& night) { return night.baseline; });
}

// Nothing where it is not available any more.
Result<std::optional<model::Build>> build_if_there(SubjectContext& context, const std::string& name) {
  auto build = build_named(context, name);
  if (build) return std::optional(std::move(*build));
  if (build.error().kind == ErrorKind::interrupted) return pass_on(build.error());
  context.progress.note(fmt::format("{} can no longer be measured ({})", name, one_line(build.error().message, 200)));
  return std::optional<model::Build>{};
}

// A night that had the regression, or what was left of it, and the last one before it whose level is known: its own,
// where pairs said it.
struct NightWith {
  std::int64_t id = 0, measured_id = 0;
  double level = 0;
};

// The newest that pairs say it of, the one that found it, and the newest that the screen alone says it of. The last are
// the worst: the machine, or another change, may have kept the series high.
Result<std::vector<NightWith>> nights_with(SubjectContext& context, const Regression& regression) {
  constexpr std::size_t most = 3;  // of either kind that are tried
  const NightWith found{
      .id = regression.night_id, .measured_id = regression.night_id, .level = detect::effect_of(regression.finding)};
  TBCI_ASSIGN(auto looks, context.stores.decisions.recovery_looks(regression.id));
  std::ranges::reverse(looks);
  NightWith known = found;
  std::vector<NightWith> by_pairs, by_screen;  // the oldest first
  for (const model::RecoveryLook& look : looks) {
    const bool paired = look.verdict == model::Verdict::regression;
    if (!paired && look.verdict != model::Verdict::suspect) continue;
    known.id = look.night_id;
    if (look.effect) {
      known.measured_id = look.night_id;
      known.level = *look.effect;
    }
    (paired ? by_pairs : by_screen).push_back(known);
  }
  std::vector<NightWith> nights;
  const auto add_newest = [&](const std::vector<NightWith>& all) {
    const auto count = static_cast<std::ptrdiff_t>(std::min(all.size(), most));
    nights.insert(nights.end(), all.rbegin(), all.rbegin() + count);
  };
  add_newest(by_pairs);
  nights.push_back(found);
  add_newest(by_screen);
  return nights;
}

}  // namespace

Result<std::optional<RecoveryReference>> recovery_reference(SubjectContext& context, const model::Night& tonight,
                                                            const Regression& regression) {
  TBCI_ASSIGN(const std::string name, old_build_of(context, regression));
  TBCI_ASSIGN(const std::string found, context.stores.nights.name_of(regression.night_id));
  TBCI_ASSIGN(const double accepted, accepted_since(context, regression, found, tonight));
  TBCI_ASSIGN(auto old_build, build_if_there(context, name));
  if (old_build) {
    TBCI_ASSIGN(const double rise, rise_before(context, regression));
    return std::optional(RecoveryReference{.build = std::move(*old_build),
                                           .level = 0,
                                           .accepted = accepted,
                                           .rise = rise + accepted,
                                           .clear = "clear in pairs with " + name});
  }
  TBCI_ASSIGN(const auto nights, nights_with(context, regression));
  for (const NightWith& night : nights) {
    TBCI_ASSIGN(const std::string with, context.stores.nights.name_of(night.id));
    TBCI_ASSIGN(auto build, build_if_there(context, with));
    if (!build) continue;
    TBCI_ASSIGN(const std::string measured, context.stores.nights.name_of(night.measured_id));
    TBCI_ASSIGN(const double since, accepted_since(context, regression, measured, tonight));
    TBCI_ASSIGN(const double later, accepted_since(context, regression, with, tonight));
    const double level = night.level + since - later;
    return std::optional(
        RecoveryReference{.build = std::move(*build),
                          .level = level,
                          .accepted = accepted,
                          .rise = accepted - level,
                          .clear = fmt::format("lower than {} by all that it had of the regression, in pairs", with)});
  }
  return std::optional<RecoveryReference>{};
}

double level_in(const model::Finding& found, const RecoveryReference& reference,
                const detect::ThresholdTable& thresholds) {
  constexpr double same = 0.5;  // of the threshold
  const double level = detect::effect_of(found) + reference.accepted;
  const double least = detect::least_effect(found.series.metric, thresholds.for_series(found.series));
  return std::abs(level - reference.level) < same * least ? reference.level : level;
}

}  // namespace tbci::pipeline
