#include "detect/timeline/added_hints.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <tuple>

#include "storage/model/measurement.hpp"

namespace tbci::detect {

namespace {

using Recordings = std::vector<HintRecording>;
using Key = std::tuple<HintKind, std::string, std::string>;  // kind, operator, and within which

Key key_of(const Hint& hint) {
  return {hint.kind, hint.name, hint.within};
}

const Hint* find(const HintRecording& recording, const Key& key) {
  const auto found = std::ranges::find_if(recording.hints, [&](const Hint& hint) { return key_of(hint) == key; });
  return found == recording.hints.end() ? nullptr : &*found;
}

// One number of a hint in each recording; 0 where that has no such hint.
std::vector<double> each(const Recordings& recordings, const Key& key, double Hint::*number) {
  std::vector<double> values;
  for (const HintRecording& recording : recordings) {
    const Hint* hint = find(recording, key);
    values.push_back(hint == nullptr ? 0 : hint->*number);
  }
  return values;
}

double whole_of(const Recordings& recordings) {
  std::vector<double> values;
  for (const HintRecording& recording : recordings) values.push_back(recording.whole);
  return model::median(std::move(values));
}

}  // namespace

std::vector<AddedHint> added_hints(const Recordings& before, const Recordings& after, double least_gain) {
  std::vector<AddedHint> added;
  if (before.empty() || after.empty()) return added;
  const double whole = whole_of(after);
  if (whole <= 0) return added;
  // A process that is slow as a whole is slow in a hint's calls, too: parts of its own iteration are compared.
  const double scale = whole_of(before) / whole;
  std::set<Key> keys;
  for (const HintRecording& recording : after) {
    for (const Hint& hint : recording.hints) keys.insert(key_of(hint));
  }
  for (const Key& key : keys) {
    const auto old_gains = each(before, key, &Hint::gain), new_gains = each(after, key, &Hint::gain);
    const double at_least = std::ranges::min(new_gains) - scale * std::ranges::max(old_gains);
    if (at_least < least_gain) continue;
    const auto middle = [&](double Hint::*number) { return model::median(each(after, key, number)); };
    added.push_back({.hint = {.kind = std::get<0>(key),
                              .name = std::get<1>(key),
                              .within = std::get<2>(key),
                              .calls = middle(&Hint::calls),
                              .time = middle(&Hint::time),
                              .share = middle(&Hint::share),
                              .gain = model::median(new_gains) - scale * model::median(old_gains)},
                     .calls_before = model::median(each(before, key, &Hint::calls))});
  }
  std::ranges::stable_sort(added, std::greater{}, [](const AddedHint& one) { return one.hint.gain; });
  return added;
}

}  // namespace tbci::detect
