#include "suite/gpu/split.hpp"

#include <algorithm>
#include <cstddef>

namespace tbci::suite {
namespace {

// The part of the window that the spans cover together.
std::int64_t covered(std::vector<GpuSpan> spans, GpuSpan window) {
  std::sort(spans.begin(), spans.end(), [](const GpuSpan& a, const GpuSpan& b) { return a.begin < b.begin; });
  std::int64_t sum = 0;
  std::int64_t done = window.begin;  // everything before it is counted
  for (const GpuSpan& span : spans) {
    const std::int64_t begin = std::max(span.begin, done);
    const std::int64_t end = std::min(span.end, window.end);
    if (end <= begin) continue;
    sum += end - begin;
    done = end;
  }
  return sum;
}

}  // namespace

GpuSplit split_of(const std::vector<GpuActivity>& activities, GpuSpan window) {
  std::vector<GpuSpan> work;
  std::vector<GpuSpan> all;
  for (const GpuActivity& activity : activities) {
    all.push_back(activity.span);
    if (activity.kind == GpuActivity::Kind::work) work.push_back(activity.span);
  }
  const std::int64_t active = covered(std::move(work), window);
  const std::int64_t busy = covered(std::move(all), window);
  return {active, busy - active, std::max<std::int64_t>(window.end - window.begin, 0) - busy};
}

}  // namespace tbci::suite
