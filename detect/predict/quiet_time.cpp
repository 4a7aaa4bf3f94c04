#include "detect/predict/quiet_time.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/assert.hpp"

namespace tbci::detect {

namespace {

bool of_the_same_calls(const RecordedIteration& one, const RecordedIteration& other) {
  return std::ranges::equal(one.calls, other.calls, [](const RecordedCall& a, const RecordedCall& b) {
    return a.name == b.name && a.lane == b.lane && a.end == b.end;
  });
}

// The recordings that agree with most; of equal groups the one that stands first.
std::vector<RecordedIteration> most_common(std::vector<RecordedIteration> recordings) {
  std::size_t best = 0, most = 0;
  for (std::size_t i = 0; i < recordings.size(); ++i) {
    const auto agree = static_cast<std::size_t>(std::ranges::count_if(
        recordings, [&](const RecordedIteration& other) { return of_the_same_calls(recordings[i], other); }));
    if (agree <= most) continue;
    most = agree;
    best = i;
  }
  std::swap(recordings[0], recordings[best]);
  std::erase_if(recordings,
                [first = recordings[0]](const RecordedIteration& other) { return !of_the_same_calls(first, other); });
  return recordings;
}

}  // namespace

double quiet_time(std::vector<double> nanoseconds) {
  TBCI_ASSERT(!nanoseconds.empty());
  std::ranges::sort(nanoseconds);
  const double place = 0.25 * static_cast<double>(nanoseconds.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, nanoseconds.size() - 1);
  return nanoseconds[below] + (place - std::floor(place)) * (nanoseconds[above] - nanoseconds[below]);
}

RecordedIteration quiet_recording(std::vector<RecordedIteration> recordings) {
  TBCI_ASSERT(!recordings.empty());
  const std::vector<RecordedIteration> all = most_common(std::move(recordings));
  const auto quiet = [&](auto value) {
    std::vector<double> values;
    for (const RecordedIteration& one : all) values.push_back(value(one));
    return quiet_time(std::move(values));
  };
  RecordedIteration sum = all.front();
  sum.last_gap = quiet([](const RecordedIteration& one) { return one.last_gap; });
  sum.waited = quiet([](const RecordedIteration& one) { return one.waited; });
  sum.fault_nanoseconds = quiet([](const RecordedIteration& one) { return one.fault_nanoseconds; });
  sum.dispatch_nanoseconds = quiet([](const RecordedIteration& one) { return one.dispatch_nanoseconds; });
  for (std::size_t i = 0; i < sum.calls.size(); ++i) {
    RecordedCall& call = sum.calls[i];
    const auto quiet_of = [&](auto value) {
      return quiet([&](const RecordedIteration& one) { return value(one.calls[i]); });
    };
    const auto kernels = std::ranges::count_if(all, [i](const RecordedIteration& one) { return one.calls[i].kernel; });
    call.gap = quiet_of([](const RecordedCall& one) { return one.gap; });
    call.own = quiet_of([](const RecordedCall& one) { return one.own; });
    call.waited = quiet_of([](const RecordedCall& one) { return one.waited; });
    call.faults = quiet_of([](const RecordedCall& one) { return one.faults; });
    call.split.before = quiet_of([](const RecordedCall& one) { return one.split.before; });
    call.split.between = quiet_of([](const RecordedCall& one) { return one.split.between; });
    call.split.after = quiet_of([](const RecordedCall& one) { return one.split.after; });
    call.kernel = 2 * static_cast<std::size_t>(kernels) >= all.size();
  }
  return sum;
}

}  // namespace tbci::detect
