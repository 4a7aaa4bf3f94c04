#include "daemon/pipeline/choosing.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace tbci::daemon {

namespace {

using Published = std::vector<model::Nightly>;

Result<Published::const_iterator> find_nightly(const Desk& desk, const Published& published, const std::string& name) {
  const auto found =
      std::find_if(published.begin(), published.end(), [&](const auto& nightly) { return nightly.name == name; });
  if (found != published.end()) return found;
  std::vector<std::string> names;
  for (const model::Nightly& nightly : published) names.push_back(nightly.name);
  return fail(ErrorKind::usage, "{} has no nightly '{}'{}: see `tbci nightly list`", desk.name(), one_line(name, 60),
              did_you_mean(name, names));
}

// The newest nightly before `nightly` that was checked to its end; so a day that was missed is inside the range.
Result<Published::const_iterator> last_checked(Desk& desk, const Published& published,
                                               Published::const_iterator nightly) {
  for (auto earlier = nightly; earlier != published.begin();) {
    --earlier;
    TBCI_ASSIGN(const auto night, desk.stores.nights.find(desk.name(), earlier->name));
    if (night && night->stage == model::Stage::done) return earlier;
  }
  return std::prev(nightly);
}

}  // namespace

Result<ChosenNight> choose_night(Desk& desk, const NightChoice& choice) {
  TBCI_ASSIGN(const Published published, desk.workshop.nightlies(desk.stop));
  if (published.size() < 2) {
    return fail(ErrorKind::usage, "{} has published {} nightlies; two are needed to compare", desk.name(),
                published.size());
  }
  auto nightly = std::prev(published.end());
  if (!choice.nightly.empty()) {
    TBCI_ASSIGN(nightly, find_nightly(desk, published, choice.nightly));
  }
  TBCI_ASSIGN(const auto begun, desk.stores.nights.find(desk.name(), nightly->name));
  const std::string wanted = begun ? begun->baseline : choice.baseline;
  if (!wanted.empty()) {
    TBCI_ASSIGN(const auto baseline, find_nightly(desk, published, wanted));
    if (baseline == nightly)
      return fail(ErrorKind::usage, "nightly {} cannot be compared with itself: name an earlier --baseline",
                  nightly->name);
    return ChosenNight{*nightly, *baseline};
  }
  if (nightly == published.begin()) {
    return fail(ErrorKind::usage, "{} is the oldest nightly that is published: there is none before it", nightly->name);
  }
  TBCI_ASSIGN(const auto baseline, last_checked(desk, published, nightly));
  return ChosenNight{*nightly, *baseline};
}

Result<std::vector<std::string>> unchecked_nightlies(Desk& desk) {
  TBCI_ASSIGN(const Published published, desk.workshop.nightlies(desk.stop));
  std::vector<std::string> names;
  bool any_checked = false;
  for (const model::Nightly& nightly : published) {
    TBCI_ASSIGN(const auto night, desk.stores.nights.find(desk.name(), nightly.name));
    if (night && night->finished) {
      names.clear();  // what is older was left out on purpose
      any_checked = true;
    } else {
      names.push_back(nightly.name);
    }
  }
  if (!any_checked && names.size() > 1) names.erase(names.begin(), std::prev(names.end()));
  if (!any_checked && published.size() < 2) names.clear();
  return names;
}

}  // namespace tbci::daemon
