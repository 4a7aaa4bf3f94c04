#include "detect/timeline/gaps.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace tbci::detect {

namespace {

// The spans in order, those that touch or overlap as one.
std::vector<Span> united(std::vector<Span> spans) {
  std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.begin < b.begin; });
  std::vector<Span> all;
  for (const Span& span : spans) {
    if (!all.empty() && span.begin <= all.back().end) {
      all.back().end = std::max(all.back().end, span.end);
    } else if (span.end > span.begin) {
      all.push_back(span);
    }
  }
  return all;
}

std::vector<Span> spans_of(const model::Timeline& timeline, bool with_movement) {
  std::vector<Span> spans;
  for (const model::TimelineWork& work : timeline.work) {
    if (with_movement || !work.movement) spans.push_back({work.begin, work.end()});
  }
  return united(std::move(spans));
}

// Hands over the part of each span that is in the window.
void clip(const std::vector<Span>& spans, Span window, const std::function<void(Span)>& take) {
  auto at = std::lower_bound(spans.begin(), spans.end(), window.begin,
                             [](const Span& span, std::int64_t begin) { return span.end <= begin; });
  for (; at != spans.end() && at->begin < window.end; ++at)
    take({std::max(at->begin, window.begin), std::min(at->end, window.end)});
}

}  // namespace

std::vector<DeviceTime> device_times(const model::Timeline& timeline) {
  const std::vector<Span> working = spans_of(timeline, false), busy = spans_of(timeline, true);
  std::vector<DeviceTime> times;
  for (const model::TimelineIteration& one : timeline.iterations) {
    DeviceTime time;
    const Span window{one.begin, one.end()};
    clip(working, window, [&](Span span) { time.active += span.end - span.begin; });
    std::int64_t at = window.begin, idle = 0, covered = 0;
    const auto gap_until = [&](std::int64_t end) {
      if (end > at) time.gaps.push_back({at, end});
      idle += std::max<std::int64_t>(end - at, 0);
    };
    clip(busy, window, [&](Span span) {
      gap_until(span.begin);
      at = span.end;
      covered += span.end - span.begin;
    });
    gap_until(window.end);
    time.movement = covered - time.active;
    const std::int64_t added = one.unwatched > 0 ? std::max<std::int64_t>(one.length - one.unwatched, 0) : 0;
    time.idle = std::max<std::int64_t>(idle - added, 0);
    if (idle > 0)
      time.stretched = time.idle > 0 ? static_cast<double>(idle) / static_cast<double>(time.idle) : INFINITY;
    times.push_back(std::move(time));
  }
  return times;
}

}  // namespace tbci::detect
