// Hints at calls that cost more to make than their work.
#include <algorithm>
#include <set>
#include <span>

#include "detect/timeline/categories.hpp"
#include "detect/timeline/evidence.hpp"

namespace tbci::detect {

namespace {

// Calls of one iteration, from `from` on, whose operators come again every `cycle` calls.
struct Row {
  std::size_t from = 0;
  std::size_t length = 0;
  std::size_t cycle = 1;
};

class Rows {
 public:
  Rows(const Look& look, const std::vector<std::size_t>& calls, const HintThresholds& thresholds,
       const Claimed& claimed)
      : look_(look), calls_(calls), thresholds_(thresholds) {
    for (const std::size_t call : calls) fits_.push_back(!claimed[call] && is_elementwise(look.name(call)));
  }

  /// From the first call to the last, the longest row at each; they do not overlap.
  std::vector<Row> find() const {
    std::vector<Row> rows;
    for (std::size_t at = 0; at < calls_.size();) {
      const Row row = longest_at(at);
      if (row.length == 0) {
        ++at;
        continue;
      }
      rows.push_back(row);
      at += row.length;
    }
    return rows;
  }

 private:
  // A longer cycle has to make the row longer by itself to be the better one.
  Row longest_at(std::size_t from) const {
    Row best;
    for (std::size_t cycle = 1; cycle <= thresholds_.longest_cycle; ++cycle) {
      std::size_t end = from;
      while (end < calls_.size() && fits_[end] && (end < from + cycle || name(end) == name(end - cycle))) ++end;
      const std::size_t repeats = (end - from) / cycle;
      const std::size_t length = repeats * cycle;
      if (repeats >= static_cast<std::size_t>(thresholds_.least_repeats) && length > best.length + best.cycle)
        best = {from, length, cycle};
    }
    return best;
  }
  std::size_t name(std::size_t at) const { return look_.timeline.calls[calls_[at]].name; }

  const Look& look_;
  const std::vector<std::size_t>& calls_;
  const HintThresholds& thresholds_;
  std::vector<bool> fits_;
};

// The memory that a cycle is given or changes, once each; what it makes and drops does not count.
double bytes_of_cycle(const Look& look, std::span<const std::size_t> cycle) {
  std::set<std::int64_t> made, seen;
  double bytes = 0;
  for (const std::size_t i : cycle) {
    const model::TimelineCall& call = look.timeline.calls[i];
    for (const model::TensorUse& use : call.inputs) {
      const model::SeenTensor* tensor = look.tensor(use);
      if (tensor == nullptr || made.contains(tensor->storage)) continue;
      const bool is_new = seen.insert(tensor->storage).second;
      bytes += (is_new ? 1.0 : 0.0) * bytes_of(look, *tensor);
    }
    for (const model::TensorUse& use : call.outputs) {
      const model::SeenTensor* tensor = look.tensor(use);
      if (tensor != nullptr && !seen.contains(tensor->storage)) made.insert(tensor->storage);
    }
  }
  if (cycle.size() == 1) {  // its result stays
    for (const model::TensorUse& use : look.timeline.calls[cycle[0]].outputs) {
      const model::SeenTensor* tensor = look.tensor(use);
      if (tensor != nullptr && made.contains(tensor->storage)) bytes += bytes_of(look, *tensor);
    }
  }
  return bytes;
}

double time_of(const Look& look, std::span<const std::size_t> calls) {
  double time = 0;
  for (const std::size_t i : calls) time += static_cast<double>(look.timeline.calls[i].length);
  return time;
}

std::string_view longest_name(const Look& look, std::span<const std::size_t> cycle) {
  const auto longest = std::max_element(cycle.begin(), cycle.end(), [&](std::size_t a, std::size_t b) {
    return look.timeline.calls[a].length < look.timeline.calls[b].length;
  });
  return look.name(*longest);
}

}  // namespace

void find_small_calls(const Look& look, const HintThresholds& thresholds, Claimed& claimed, HintSums& sums) {
  for (const auto& calls : top_calls(look)) {
    for (const Row& row : Rows(look, calls, thresholds, claimed).find()) {
      const std::span<const std::size_t> all(calls.data() + row.from, row.length);
      double gain = -static_cast<double>(look.timeline.speed.dispatch_nanoseconds);
      for (std::size_t at = 0; at < row.length; at += row.cycle) {
        const auto cycle = all.subspan(at, row.cycle);
        gain += std::max(0.0, time_of(look, cycle) - copy_time(look, bytes_of_cycle(look, cycle)));
      }
      for (const std::size_t i : all) claimed[i] = true;
      sums.add(HintKind::small_calls, longest_name(look, all.first(row.cycle)), static_cast<double>(row.length),
               time_of(look, all), std::max(gain, 0.0));
    }
  }
}

void find_short_calls(const Look& look, const HintThresholds& thresholds, Claimed& claimed, HintSums& sums) {
  const double shortest = thresholds.short_call * static_cast<double>(look.timeline.speed.dispatch_nanoseconds);
  for (const auto& calls : top_calls(look)) {
    for (const std::size_t i : calls) {
      const auto time = static_cast<double>(look.timeline.calls[i].length);
      if (claimed[i] || time > shortest) continue;
      const double needed = needed_time(look, i);
      if (needed > time / 4) continue;
      claimed[i] = true;
      sums.add(HintKind::short_calls, look.name(i), 1, time, time - needed);
    }
  }
}

}  // namespace tbci::detect
