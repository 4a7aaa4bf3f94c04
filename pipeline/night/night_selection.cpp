#include "pipeline/night/night_selection.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace tbci::pipeline {

namespace {

using Published = std::vector<model::Nightly>;

std::ptrdiff_t index_of(const Published& published, const std::string& name) {
  const auto same = [&](const model::Nightly& nightly) { return nightly.name == name; };
  return std::find_if(published.begin(), published.end(), same) - published.begin();
}

Result<Published::const_iterator> find_nightly(const SubjectContext& context, const Published& published,
                                               const std::string& name) {
  const auto found =
      std::find_if(published.begin(), published.end(), [&](const auto& nightly) { return nightly.name == name; });
  if (found != published.end()) return found;
  std::vector<std::string> names;
  for (const model::Nightly& nightly : published) names.push_back(nightly.name);
  return fail(ErrorKind::usage, "{} has no nightly '{}'{}: see `tbci nightly list`", context.name(), one_line(name, 60),
              did_you_mean(name, names));
}

// The newest nightly before `nightly` that was checked to its end; so a day that was missed is inside the range.
Result<Published::const_iterator> last_checked(SubjectContext& context, const Published& published,
                                               Published::const_iterator nightly) {
  for (auto earlier = nightly; earlier != published.begin();) {
    --earlier;
    TBCI_ASSIGN(const auto night, context.stores.nights.find(context.name(), earlier->name));
    if (night && night->stage == model::Stage::done) return earlier;
  }
  return std::prev(nightly);
}

// A night that was begun keeps its baseline, also where that has left the index meanwhile.
Result<ChosenNight> as_begun(SubjectContext& context, const Published& published, const model::Nightly& nightly,
                             const model::Night& begun) {
  const auto listed = std::find_if(published.begin(), published.end(),
                                   [&](const auto& candidate) { return candidate.name == begun.baseline; });
  if (listed != published.end()) return ChosenNight{nightly, *listed};
  TBCI_ASSIGN(const auto build, context.stores.builds.find(context.name(), model::BuildKind::nightly, begun.baseline));
  if (build && build->state == model::BuildState::ready) {
    return ChosenNight{nightly, {.name = begun.baseline, .commit = build->product.commit}};
  }
  return fail(ErrorKind::failed, "its baseline {} is not published any more and was never installed", begun.baseline);
}

Result<Published::const_iterator> named_baseline(const SubjectContext& context, const Published& published,
                                                 Published::const_iterator nightly, const std::string& name) {
  TBCI_ASSIGN(const auto baseline, find_nightly(context, published, name));
  if (baseline >= nightly) {
    return fail(ErrorKind::usage, "nightly {} is not older than {}: name an earlier --baseline", name, nightly->name);
  }
  return baseline;
}

}  // namespace

Result<ChosenNight> choose_night(SubjectContext& context, const NightChoice& choice) {
  TBCI_ASSIGN(const Published published, context.machine.nightlies(context.stop));
  if (published.size() < 2) {
    return fail(ErrorKind::usage, "{} has published {} nightlies; two are needed to compare", context.name(),
                published.size());
  }
  auto nightly = std::prev(published.end());
  if (!choice.nightly.empty()) {
    TBCI_ASSIGN(nightly, find_nightly(context, published, choice.nightly));
  }
  TBCI_ASSIGN(const auto begun, context.stores.nights.find(context.name(), nightly->name));
  if (begun && !choice.baseline.empty() && choice.baseline != begun->baseline) {
    return fail(ErrorKind::usage,
                "night {} was begun against {}: leave --baseline out, or compare the two by `tbci compare`",
                nightly->name, begun->baseline);
  }
  if (begun) return as_begun(context, published, *nightly, *begun);
  if (!choice.baseline.empty()) {
    TBCI_ASSIGN(const auto baseline, named_baseline(context, published, nightly, choice.baseline));
    return ChosenNight{*nightly, *baseline};
  }
  if (nightly == published.begin()) {
    return fail(ErrorKind::usage, "{} is the oldest nightly that is published: there is none before it", nightly->name);
  }
  TBCI_ASSIGN(const auto baseline, last_checked(context, published, nightly));
  return ChosenNight{*nightly, *baseline};
}

Result<std::vector<std::string>> unchecked_nightlies(SubjectContext& context) {
  TBCI_ASSIGN(const Published published, context.machine.nightlies(context.stop));
  std::vector<std::string> begun, untouched;
  bool any_checked = false;
  for (const model::Nightly& nightly : published) {
    TBCI_ASSIGN(const auto night, context.stores.nights.find(context.name(), nightly.name));
    if (night && night->finished) {
      untouched.clear();  // what is older was left out on purpose
      any_checked = true;
    } else {
      (night ? begun : untouched).push_back(nightly.name);
    }
  }
  // The very first time only the newest is checked, and only where there is one to hold it against.
  if (!any_checked && begun.empty() && untouched.size() > 1)
    untouched.erase(untouched.begin(), std::prev(untouched.end()));
  if (!any_checked && published.size() < 2) untouched.clear();
  if (!any_checked && !begun.empty()) {
    std::erase_if(untouched, [&](const std::string& name) {
      return index_of(published, name) < index_of(published, begun.front());
    });
  }
  std::vector<std::string> names = std::move(begun);
  names.insert(names.end(), untouched.begin(), untouched.end());
  std::sort(names.begin(), names.end(),
            [&](const auto& a, const auto& b) { return index_of(published, a) < index_of(published, b); });
  return names;
}

}  // namespace tbci::pipeline
