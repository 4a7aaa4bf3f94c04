// Hints at time in which nothing is computed.
#include <algorithm>
#include <set>

#include "detect/timeline/evidence.hpp"
#include "detect/timeline/fault_time.hpp"
#include "detect/timeline/gaps.hpp"
#include "storage/model/profile.hpp"

namespace tbci::detect {

void find_page_faults(const Look& look, HintSums& sums) {
  const model::MachineSpeed& speed = look.timeline.speed;
  for (std::size_t i = 0; i < look.calls.size(); ++i) {
    const model::TimelineCall& call = look.timeline.calls[i];
    if (call.faults == 0 || call.thread != look.thread || look.calls[i].iteration < 0) continue;
    const auto self = static_cast<double>(look.calls[i].self);
    const double own = self - std::min(self, static_cast<double>(call.waited));
    const double faulting = time_of_faults(speed, {.own = own, .faults = static_cast<double>(call.faults)});
    sums.add(HintKind::page_faults, look.name(i), 1, self, faulting);
  }
  for (std::size_t i = 0; i < look.timeline.iterations.size(); ++i) {
    const model::TimelineIteration& one = look.timeline.iterations[i];
    const auto outside = static_cast<double>(look.outside[i]);
    const double own = outside - std::min(outside, static_cast<double>(one.waited));
    const double faulting = time_of_faults(speed, {.own = own, .faults = static_cast<double>(one.faults)});
    if (faulting > 0) sums.add(HintKind::page_faults, model::in_no_operator, 1, outside, faulting);
  }
}

namespace {

struct HostWork {
  Span span;
  std::size_t call = 0;
};

// What the host does in one iteration, on any thread, in order: each moment belongs to the call that began first.
std::vector<HostWork> host_work(const Look& look, const std::vector<std::size_t>& calls) {
  std::vector<HostWork> all;
  std::int64_t until = INT64_MIN;
  for (const std::size_t i : calls) {
    const model::TimelineCall& call = look.timeline.calls[i];
    if (!look.calls[i].top || call.end() <= until) continue;
    all.push_back({{std::max(call.begin, until), call.end()}, i});
    until = call.end();
  }
  return all;
}

}  // namespace

void find_device_waits(const Look& look, const Claimed& claimed, HintSums& sums) {
  if (!look.timeline.on_gpu) return;
  const auto times = device_times(look.timeline);
  const auto calls = calls_of_all_threads(look);
  for (std::size_t i = 0; i < times.size(); ++i) {
    const std::vector<HostWork> work = host_work(look, calls[i]);
    auto next = work.begin();
    std::set<std::size_t> counted;  // a call with several gaps is one
    double outside = 0;
    for (const Span& gap : times[i].gaps) {
      auto in_none = static_cast<double>(gap.end - gap.begin);
      while (next != work.end() && next->span.end <= gap.begin) ++next;
      for (auto at = next; at != work.end() && at->span.begin < gap.end; ++at) {
        const auto shared = static_cast<double>(std::min(at->span.end, gap.end) - std::max(at->span.begin, gap.begin));
        in_none -= shared;
        if (claimed[at->call]) continue;
        const double first = counted.insert(at->call).second ? 1 : 0;
        sums.add(HintKind::device_waits, look.name(at->call), first, shared, shared / times[i].stretched);
      }
      outside += std::max(in_none, 0.0);
    }
    if (outside > 0) sums.add(HintKind::device_waits, model::in_no_operator, 1, outside, outside / times[i].stretched);
  }
}

}  // namespace tbci::detect
