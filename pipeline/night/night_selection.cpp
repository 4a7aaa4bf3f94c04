#include "pipeline/night/night_selection.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "pipeline/night/baselines.hpp"
#include "pipeline/night/skipped_nightlies.hpp"

namespace tbci::pipeline {

namespace {

using Published = std::vector<model::Nightly>;
using Names = std::vector<std::string>;

bool is_complete(const model::Nightly& nightly) {
  return nightly.availability == model::Availability::complete;
}

std::ptrdiff_t index_of(const Published& published, const std::string& name) {
  const auto same = [&](const model::Nightly& nightly) { return nightly.name == name; };
  return std::find_if(published.begin(), published.end(), same) - published.begin();
}

Result<Published> listed_nightlies(SubjectContext& context) {
  TBCI_ASSIGN(Published published, context.machine.nightlies(context.stop));
  TBCI_TRY(note_listing(context, published));
  return published;
}

// The newest that may be checked; empty: none.
Result<std::string> newest_of(SubjectContext& context, const Published& published) {
  for (auto nightly = published.rbegin(); nightly != published.rend(); ++nightly) {
    if (!is_complete(*nightly)) continue;
    TBCI_ASSIGN(const bool skipped, is_skipped(context, *nightly));
    if (!skipped) return nightly->name;
  }
  return fail(ErrorKind::usage, "{} has published nothing since what was skipped: see `tbci nightly list`",
              context.name());
}

Result<Published::const_iterator> find_nightly(const SubjectContext& context, const Published& published,
                                               const std::string& name) {
  const auto found =
      std::find_if(published.begin(), published.end(), [&](const auto& nightly) { return nightly.name == name; });
  if (found != published.end() && found->availability == model::Availability::incomplete) {
    return fail(ErrorKind::transient, "the nightly {} cannot be installed here: {}; try again later", found->name,
                found->remark);
  }
  if (found != published.end()) return found;
  std::vector<std::string> names;
  for (const model::Nightly& nightly : published) names.push_back(nightly.name);
  return fail(ErrorKind::usage, "{} has no nightly '{}'{}: see `tbci nightly list`", context.name(), one_line(name, 60),
              did_you_mean(name, names));
}

// What the store knows of a nightly that has left the index.
Result<std::optional<model::Nightly>> stored_nightly(SubjectContext& context, const std::string& name) {
  TBCI_ASSIGN(const auto build, context.stores.builds.find(context.name(), model::BuildKind::nightly, name));
  if (!build || build->product.commit.empty()) return std::optional<model::Nightly>{};
  return std::optional(model::Nightly{.name = name, .commit = build->product.commit});
}

Result<model::Nightly> listed_or_stored(SubjectContext& context, const Published& published, const std::string& name) {
  const auto listed =
      std::find_if(published.begin(), published.end(), [&](const auto& candidate) { return candidate.name == name; });
  if (listed != published.end()) return *listed;
  TBCI_ASSIGN(const auto stored, stored_nightly(context, name));
  if (stored) return *stored;
  return fail(ErrorKind::failed,
              "the index no longer lists {}, and it is not installed here: choose another (`tbci nightly list`)",
              one_line(name, 80));
}

// A night that was begun keeps its baseline, also where one of the two has left the index meanwhile.
Result<ChosenNight> as_begun(SubjectContext& context, const Published& published, const model::Night& begun) {
  TBCI_ASSIGN(auto nightly, listed_or_stored(context, published, begun.name));
  auto baseline = listed_or_stored(context, published, begun.baseline);
  const std::ptrdiff_t at = index_of(published, begun.name);  // what has left the index is older than all of it
  const bool is_listed = at < static_cast<std::ptrdiff_t>(published.size());
  TBCI_ASSIGN(auto others,
              possible_baselines(context, Published(published.begin(), published.begin() + (is_listed ? at : 0))));
  std::erase_if(others, [&](const model::Nightly& other) { return other.name == begun.baseline; });
  if (!baseline && others.empty()) return fail(std::move(baseline).error(), "its baseline");
  ChosenNight chosen{.nightly = std::move(nightly), .baseline = {.name = begun.baseline, .commit = {}}};
  if (baseline) chosen.baseline = std::move(*baseline);
  chosen.other_baselines = std::move(others);
  return chosen;
}

// A night that has its verdicts, and whose builds the store knows: what is left of it needs no index.
Result<std::optional<ChosenNight>> stored_with_verdicts(SubjectContext& context, const NightChoice& choice) {
  using Nothing = std::optional<ChosenNight>;
  TBCI_ASSIGN(const auto night, context.stores.nights.find(context.name(), choice.nightly));
  const bool other_baseline = night && !choice.baseline.empty() && choice.baseline != night->baseline;
  if (!night || night->finished || other_baseline || !model::has_verdicts(night->stage)) return Nothing{};
  TBCI_ASSIGN(auto nightly, stored_nightly(context, night->name));
  TBCI_ASSIGN(auto baseline, stored_nightly(context, night->baseline));
  if (!nightly || !baseline) return Nothing{};
  return std::optional(ChosenNight{.nightly = std::move(*nightly), .baseline = std::move(*baseline)});
}

Result<Published::const_iterator> named_baseline(const SubjectContext& context, const Published& published,
                                                 Published::const_iterator nightly, const std::string& name) {
  TBCI_ASSIGN(const auto baseline, find_nightly(context, published, name));
  if (baseline >= nightly) {
    return fail(ErrorKind::usage, "nightly {} is not older than {}: name an earlier --baseline", name, nightly->name);
  }
  return baseline;
}

Result<ChosenNight> choose_published(SubjectContext& context, const NightChoice& choice, const Published& published) {
  std::string name = choice.nightly;
  if (name.empty()) {
    TBCI_ASSIGN(name, newest_of(context, published));
  }
  TBCI_ASSIGN(const auto begun, context.stores.nights.find(context.name(), name));
  if (begun && !choice.baseline.empty() && choice.baseline != begun->baseline) {
    return fail(ErrorKind::usage,
                "night {} was begun with the baseline {}: leave out --baseline, or use `tbci compare`", name,
                begun->baseline);
  }
  if (begun) return as_begun(context, published, *begun);
  TBCI_ASSIGN(const auto nightly, find_nightly(context, published, name));
  if (!choice.baseline.empty()) {
    TBCI_ASSIGN(const auto baseline, named_baseline(context, published, nightly, choice.baseline));
    return ChosenNight{.nightly = *nightly, .baseline = *baseline};
  }
  TBCI_ASSIGN(auto baselines, possible_baselines(context, Published(published.begin(), nightly)));
  if (baselines.empty()) {
    return fail(ErrorKind::usage, "{} is the oldest published nightly: none precedes it", nightly->name);
  }
  ChosenNight chosen{.nightly = *nightly, .baseline = baselines.front()};
  chosen.other_baselines.assign(baselines.begin() + 1, baselines.end());
  return chosen;
}

// What `serve` has to look at, each part the oldest first.
struct Unchecked {
  Names begun, untouched;
  Names late;  // that came after newer ones were checked
  bool any_checked = false;
};

Result<Unchecked> unchecked_of(SubjectContext& context, const Published& published) {
  Unchecked unchecked;
  for (const model::Nightly& nightly : published) {
    TBCI_ASSIGN(const auto night, context.stores.nights.find(context.name(), nightly.name));
    if (night && night->finished) {
      unchecked.untouched.clear();  // what is older was left out on purpose
      unchecked.any_checked = true;
      continue;
    }
    TBCI_ASSIGN(const auto row, context.stores.skips.find(context.name(), nightly.name));
    if (night) {
      unchecked.begun.push_back(nightly.name);
    } else if (is_complete(nightly) && row && model::has_arrived(*row)) {
      unchecked.late.push_back(nightly.name);
    } else if (is_complete(nightly) && !(row && row->given_up)) {
      unchecked.untouched.push_back(nightly.name);
    }
  }
  return unchecked;
}

}  // namespace

Result<ChosenNight> choose_night(SubjectContext& context, const NightChoice& choice) {
  if (!choice.nightly.empty()) {
    TBCI_ASSIGN(auto stored, stored_with_verdicts(context, choice));
    if (stored) return std::move(*stored);
  }
  TBCI_ASSIGN(Published published, listed_nightlies(context));
  const auto complete = std::ranges::count_if(published, is_complete);
  if (complete < 2) {
    return fail(ErrorKind::usage, "{} has published {} that can be installed here; two are needed to compare",
                context.name(), counted(complete, "nightly", "nightlies"));
  }
  TBCI_ASSIGN(ChosenNight chosen, choose_published(context, choice, published));
  chosen.published = std::move(published);
  return chosen;
}

Result<std::vector<std::string>> unchecked_nightlies(SubjectContext& context) {
  TBCI_ASSIGN(const Published published, listed_nightlies(context));
  TBCI_ASSIGN(Unchecked unchecked, unchecked_of(context, published));
  auto& [begun, untouched, late, any_checked] = unchecked;
  // The very first time only the newest is checked, and only where there is one to compare it with.
  if (!any_checked && begun.empty()) {
    untouched.insert(untouched.end(), late.begin(), late.end());
    late.clear();
    const auto newest = std::ranges::max_element(
        untouched, [&](const auto& a, const auto& b) { return index_of(published, a) < index_of(published, b); });
    if (newest != untouched.end()) untouched = {std::string(*newest)};
  }
  if (!any_checked && std::ranges::count_if(published, is_complete) < 2) untouched.clear();
  if (!any_checked && !begun.empty()) {
    std::erase_if(untouched, [&](const std::string& name) {
      return index_of(published, name) < index_of(published, begun.front());
    });
  }
  TBCI_ASSIGN(const auto unfinished, context.stores.nights.unfinished(context.name()));
  for (const model::Night& night : unfinished) {  // also one that has left the index: it comes to an end
    if (index_of(published, night.name) == static_cast<std::ptrdiff_t>(published.size())) begun.push_back(night.name);
  }
  Names names = std::move(begun);
  names.insert(names.end(), untouched.begin(), untouched.end());
  names.insert(names.end(), late.begin(), late.end());
  // Those that have left the index are the oldest.
  const auto place = [&](const std::string& name) {
    const auto at = index_of(published, name);
    return at == static_cast<std::ptrdiff_t>(published.size()) ? std::ptrdiff_t{-1} : at;
  };
  std::stable_sort(names.begin(), names.end(), [&](const auto& a, const auto& b) { return place(a) < place(b); });
  return names;
}

}  // namespace tbci::pipeline
