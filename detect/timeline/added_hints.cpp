#include "detect/timeline/added_hints.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "storage/model/measurement.hpp"

namespace tbci::detect {

namespace {

using Recordings = std::vector<HintRecording>;
using Key = std::tuple<HintKind, std::string, std::string>;  // kind, operator, and within which
using Found = std::vector<std::map<Key, const Hint*>>;       // of each recording

Found by_key(const Recordings& recordings) {
  Found found(recordings.size());
  for (std::size_t i = 0; i < recordings.size(); ++i) {
    for (const Hint& hint : recordings[i].hints) found[i].try_emplace({hint.kind, hint.name, hint.within}, &hint);
  }
  return found;
}

// One number of a hint in each recording; 0 where that has no such hint.
std::vector<double> each(const Found& recordings, const Key& key, double Hint::*number) {
  std::vector<double> values;
  for (const auto& hints : recordings) {
    const auto hint = hints.find(key);
    values.push_back(hint == hints.end() ? 0 : hint->second->*number);
  }
  return values;
}

// Kinds among which a call changes by chance, or because it takes a little longer: the longest of several calls names
// the hint of them all, and a row of seven is none.
bool is_of_small_calls(HintKind kind) {
  return kind == HintKind::one_element || kind == HintKind::small_calls || kind == HintKind::short_calls;
}

// What can be gained by all hints of these kinds, in each recording.
std::vector<double> of_all_small_calls(const Recordings& recordings) {
  std::vector<double> gains;
  for (const HintRecording& recording : recordings) {
    double gain = 0;
    for (const Hint& hint : recording.hints) gain += is_of_small_calls(hint.kind) ? hint.gain : 0;
    gains.push_back(gain);
  }
  return gains;
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
  // What was added; nothing where that is less than `least_gain`.
  const auto growth = [&](const std::vector<double>& old_gains,
                          const std::vector<double>& new_gains) -> std::optional<double> {
    if (std::ranges::min(new_gains) - scale * std::ranges::max(old_gains) < least_gain) return std::nullopt;
    return model::median(new_gains) - scale * model::median(old_gains);
  };
  const auto of_small_calls = growth(of_all_small_calls(before), of_all_small_calls(after));
  const Found old_hints = by_key(before), new_hints = by_key(after);
  std::set<Key> keys;
  for (const auto& hints : new_hints) {
    for (const auto& [key, hint] : hints) keys.insert(key);
  }
  for (const Key& key : keys) {
    auto gain = growth(each(old_hints, key, &Hint::gain), each(new_hints, key, &Hint::gain));
    if (is_of_small_calls(std::get<0>(key)))
      gain = gain && of_small_calls ? std::optional(std::min(*gain, *of_small_calls)) : std::nullopt;
    if (!gain) continue;
    const auto middle = [&](double Hint::*number) { return model::median(each(new_hints, key, number)); };
    added.push_back({.hint = {.kind = std::get<0>(key),
                              .name = std::get<1>(key),
                              .within = std::get<2>(key),
                              .calls = middle(&Hint::calls),
                              .time = middle(&Hint::time),
                              .share = middle(&Hint::share),
                              .gain = *gain},
                     .calls_before = model::median(each(old_hints, key, &Hint::calls))});
  }
  std::ranges::stable_sort(added, std::greater{}, [](const AddedHint& one) { return one.hint.gain; });
  return added;
}

}  // namespace tbci::detect
