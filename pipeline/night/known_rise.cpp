#include "pipeline/night/known_rise.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "base/version_order.hpp"
#include "pipeline/night/anchor_past.hpp"
#include "pipeline/night/search_ends.hpp"

namespace tbci::pipeline {

namespace {

using model::Regression;
using model::Standing;

constexpr int nights_before_regression = 3;
constexpr int nights_after_regression = 400;

// A regression with the nightlies that its change lies between.
struct Found {
  Regression regression;
  std::string old_build, night;
  double effect = 0;
  bool crept = false;  // it was asked for beside the anchor, and not suspected by a screen
};

const std::string& old_build_of(const model::Night& night, const Regression& regression) {
  return regression.old_build.empty() ? night.baseline : regression.old_build;
}

Found found_on(const model::Night& night, Regression regression) {
  const std::string old_build = old_build_of(night, regression);
  const double effect = detect::effect_of(regression.finding);
  return {.regression = std::move(regression), .old_build = old_build, .night = night.name, .effect = effect};
}

// Those by nights that are older than `before`, without those that nobody knows of; the oldest first.
Result<std::vector<Found>> older_than(SubjectContext& context, std::vector<Regression> all, const std::string& before) {
  std::vector<Found> found;
  for (Regression& regression : all) {
    TBCI_ASSIGN(const model::Night night, context.stores.nights.get(regression.night_id));
    if (!is_older(night.name, before) || model::is_untold(night, regression)) continue;
    found.push_back(found_on(night, std::move(regression)));
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Found& a, const Found& b) { return is_older(a.night, b.night); });
  return found;
}

Result<std::vector<Found>> found_before(SubjectContext& context, const model::Series& series,
                                        const std::string& before) {
  TBCI_ASSIGN(auto all, context.stores.nights.series_regressions(context.name(), series));
  return older_than(context, std::move(all), before);
}

// The anchor may be the build that a suspect of the screen was confirmed against, too.
Status mark_crept(SubjectContext& context, const AnchorView& view, std::vector<Found>& all) {
  for (Found& found : all) {
    if (found.old_build != view.build.name) continue;
    TBCI_ASSIGN(const auto screened, context.stores.nights.findings(found.regression.night_id, storage::Phase::screen));
    found.crept = std::ranges::none_of(screened, [&](const model::Finding& finding) {
      return finding.series == found.regression.finding.series && finding.verdict == model::Verdict::suspect;
    });
  }
  return {};
}

bool is_in(const model::Build& build, const Found& found) {
  return build.kind == model::BuildKind::nightly && !is_older(build.name, found.night);
}

// Creep is what a series rose by beyond what was known then.
Result<bool> was_gone(SubjectContext& context, const AnchorView& view, const model::Night& tonight, const Found& found,
                      double known) {
  const model::Series& series = found.regression.finding.series;
  KnownRise others;
  if (found.crept) others.set(found.old_build, known);
  // Where no night looked at the old build, the series stood where the anchor stands.
  TBCI_ASSIGN(const auto old_night, context.stores.nights.find(context.name(), found.old_build));
  std::vector<model::AnchorLook> before;
  if (old_night) {
    TBCI_ASSIGN(before,
                context.stores.anchors.looks_until(view.anchor.id, series, old_night->id, nights_before_regression));
  }
  TBCI_ASSIGN(const auto since, context.stores.anchors.looks_after(view.anchor.id, series, found.regression.night_id,
                                                                   nights_after_regression));
  const AnchorPast past(before, tonight.name, others), later(since, tonight.name, others);
  return detect::was_gone(series, found.effect, past.nights(), later.nights(),
                          context.config.thresholds.for_series(series));
}

// Whether its change came after that build, and was neither nothing nor is gone.
bool is_since(const std::string& old_build, const Found& found) {
  const Standing standing = found.regression.standing;
  return standing != Standing::recovered && standing != Standing::dismissed && is_older(old_build, found.night);
}

// Whether its change is, as far as is known, a part of the series as it is now.
Result<bool> counts(SubjectContext& context, const AnchorView& view, const model::Night& tonight, const Found& found,
                    double known) {
  const Standing standing = found.regression.standing;
  if (standing != Standing::accepted && !model::is_open(standing)) return false;
  if (is_in(view.build, found)) return false;
  // Opened again, by a person or as it relapsed: what was measured before that says nothing.
  if (standing != Standing::accepted) {
    TBCI_ASSIGN(const auto decisions, context.stores.decisions.of_regression(found.regression.id));
    if (!decisions.empty()) return true;
  }
  return was_gone(context, view, tonight, found, known).map([](bool gone) { return !gone; });
}

bool share_a_suspect(const Regression& a, const Regression& b) {
  return std::ranges::any_of(a.suspects, [&](const std::string& suspect) {
    return std::find(b.suspects.begin(), b.suspects.end(), suspect) != b.suspects.end();
  });
}

// Whether two regressions speak of one change: of the same commits or, where one names none, of the same days.
bool are_same_change(const Found& earlier, const Found& later) {
  if (!earlier.regression.suspects.empty() && !later.regression.suspects.empty())
    return share_a_suspect(earlier.regression, later.regression);
  return !later.crept && is_older(later.old_build, earlier.night);
}

// Each change once, as the largest of what was found of it. Further steps of a series are a part of its largest.
void add_once(std::vector<Found>& all, Found found) {
  const auto known = std::ranges::find_if(all, [&](const Found& one) {
    return one.regression.night_id == found.regression.night_id || are_same_change(one, found);
  });
  if (known == all.end()) {
    all.push_back(std::move(found));
  } else {
    known->effect = std::max(known->effect, found.effect);
  }
}

// The level against the anchor that a person accepted as a whole, with `--anchor`: it is kept as what a confirmation of
// that night found, which had none of its own.
Result<std::optional<double>> accepted_level(SubjectContext& context, const AnchorView& view, const Found& found) {
  const bool own = found.old_build == view.build.name;
  if (own || found.regression.standing != Standing::accepted) return std::optional<double>{};
  TBCI_ASSIGN(const auto looks, context.stores.anchors.of_night(view.anchor.id, found.regression.night_id));
  const auto look = std::ranges::find(looks, found.regression.finding.series, &model::AnchorLook::series);
  const bool accepted = look != looks.end() && look->verdict == model::Verdict::regression && !look->pairs.empty();
  return accepted ? std::optional(look->effect) : std::nullopt;
}

Result<KnownRise> rise_of(SubjectContext& context, const AnchorView& view, const std::vector<Found>& counted) {
  KnownRise rise;
  for (const Found& found : counted) {
    rise.has_open_creep = rise.has_open_creep || (found.crept && model::is_open(found.regression.standing));
    TBCI_ASSIGN(const auto level, accepted_level(context, view, found));
    if (level) {
      rise.set(found.night, *level);
    } else {
      rise.add(found.night, found.effect);
    }
  }
  return rise;
}

// The anchor that the regression was confirmed against; nothing: it was against another build. Where a person set the
// same build once more, it is the choice that the night's own look belongs to, also when the night had begun before it.
Result<std::optional<AnchorView>> anchor_of(SubjectContext& context, const Regression& regression,
                                            const model::Night& night) {
  constexpr int acts_looked_at = 1000;
  TBCI_ASSIGN(const auto acts, context.stores.anchors.acts(context.name(), acts_looked_at));
  std::optional<AnchorView> earlier;
  for (const model::Anchor& act : acts) {
    if (!act.build_id) continue;
    TBCI_ASSIGN(model::Build build, context.stores.builds.get(*act.build_id));
    if (build.name != regression.old_build) continue;
    TBCI_ASSIGN(const auto looks, context.stores.anchors.of_night(act.id, night.id));
    const bool looked = std::ranges::find(looks, regression.finding.series, &model::AnchorLook::series) != looks.end();
    const bool fits = looked || (!earlier && act.set <= night.started);
    if (!fits) continue;
    TBCI_ASSIGN(AnchorView view, view_of(context, act, std::move(build), night));
    if (looked) return std::optional(std::move(view));
    earlier = std::move(view);
  }
  return earlier;
}

// What a person accepted of the changes that the same night found of the series: the largest has all of them.
Result<double> accepted_beside(SubjectContext& context, const Regression& regression) {
  if (regression.step == 0) return 0.0;
  TBCI_ASSIGN(const auto all, context.stores.nights.regressions(regression.night_id));
  const auto largest = std::ranges::find_if(all, [&](const Regression& one) {
    return one.step == 0 && one.finding.series == regression.finding.series && one.standing == Standing::accepted;
  });
  return largest == all.end() ? 0 : detect::effect_of(largest->finding) - detect::effect_of(regression.finding);
}

// The commits after the old build and up to the new one; none where the history does not say.
Result<std::vector<std::string>> commits_between(SubjectContext& context, const Found& found) {
  std::vector<std::string> ids;
  const auto from = end_of_search(context, found.old_build), to = end_of_search(context, found.night);
  for (const auto* end : {&from, &to}) {
    if (!*end && end->error().kind == ErrorKind::interrupted) return pass_on(end->error());
    if (!*end || (*end)->product.commit.empty()) return ids;
  }
  const auto commits = context.machine.commits_between(from->product.commit, to->product.commit, context.stop);
  if (!commits && commits.error().kind != ErrorKind::usage && commits.error().kind != ErrorKind::failed)
    return pass_on(commits.error());
  for (std::size_t i = 1; commits && i < commits->size(); ++i) ids.push_back((*commits)[i].id);
  return ids;
}

}  // namespace

void KnownRise::add(const std::string& night, double effect) {
  set(night, (levels_.empty() ? 0 : levels_.back().total) + effect);
}

void KnownRise::set(const std::string& night, double level) {
  levels_.push_back({night, level});
}

double KnownRise::until(const std::string& night) const {
  double total = 0;
  for (const LevelOfNight& level : levels_) {
    if (is_older(night, level.night)) break;
    total = level.total;
  }
  return total;
}

Result<KnownRise> known_rise(SubjectContext& context, const AnchorView& view, const model::Night& night,
                             const model::Series& series) {
  TBCI_ASSIGN(auto all, found_before(context, series, night.name));
  TBCI_TRY(mark_crept(context, view, all));
  std::vector<Found> counted;
  KnownRise rise;
  for (Found& found : all) {
    TBCI_ASSIGN(rise, rise_of(context, view, counted));
    TBCI_ASSIGN(const bool one, counts(context, view, night, found, rise.until(found.night)));
    if (one) add_once(counted, std::move(found));
  }
  return rise_of(context, view, counted);
}

Result<double> rise_before(SubjectContext& context, const Regression& regression) {
  TBCI_ASSIGN(const model::Night night, context.stores.nights.get(regression.night_id));
  TBCI_ASSIGN(const double accepted, accepted_beside(context, regression));
  TBCI_ASSIGN(const auto view, anchor_of(context, regression, night));
  if (!view) {
    TBCI_ASSIGN(const double since,
                rise_since(context, old_build_of(night, regression), night, regression.finding.series));
    return since + accepted;
  }
  TBCI_ASSIGN(const KnownRise rise, known_rise(context, *view, night, regression.finding.series));
  return rise.until(night.name) + accepted;
}

Result<double> rise_since(SubjectContext& context, const std::string& old_build, const model::Night& night,
                          const model::Series& series) {
  TBCI_ASSIGN(auto all, found_before(context, series, night.name));
  std::vector<Found> counted;
  for (Found& found : all) {
    if (is_since(old_build, found)) add_once(counted, std::move(found));
  }
  double rise = 0;
  for (const Found& found : counted) rise += found.effect;
  return rise;
}

Result<double> accepted_since(SubjectContext& context, const Regression& regression, const std::string& since,
                              const model::Night& tonight) {
  // Each open regression asks each night: what the years found of its series, and what ended, is not read for it.
  TBCI_ASSIGN(auto accepted_ones,
              context.stores.nights.accepted_regressions(context.name(), regression.finding.series));
  TBCI_ASSIGN(auto all, older_than(context, std::move(accepted_ones), tonight.name));
  TBCI_ASSIGN(const model::Night night, context.stores.nights.get(regression.night_id));
  const Found own = found_on(night, regression);
  std::vector<Found> counted;
  for (Found& found : all) {
    const bool other = found.regression.night_id != regression.night_id && !are_same_change(own, found);
    if (other && is_older(since, found.night)) add_once(counted, std::move(found));
  }
  double accepted = 0;
  for (const Found& found : counted) accepted += found.effect;
  return accepted;
}

Result<std::vector<std::string>> known_commits(SubjectContext& context, const Regression& regression) {
  std::vector<std::string> commits;
  TBCI_ASSIGN(const model::Night night, context.stores.nights.get(regression.night_id));
  TBCI_ASSIGN(const auto view, anchor_of(context, regression, night));
  const std::string& old_build = view ? view->build.name : old_build_of(night, regression);
  TBCI_ASSIGN(const auto all, found_before(context, regression.finding.series, night.name));
  for (const Found& found : all) {
    const bool known = view ? found.regression.standing != Standing::dismissed && !is_in(view->build, found)
                            : is_since(old_build, found);
    if (!known) continue;
    std::vector<std::string> own = found.regression.suspects;
    if (own.empty() && found.old_build != old_build) {
      TBCI_ASSIGN(own, commits_between(context, found));
    }
    commits.insert(commits.end(), own.begin(), own.end());
  }
  return commits;
}

}  // namespace tbci::pipeline
