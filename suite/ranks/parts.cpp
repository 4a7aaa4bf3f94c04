#include "suite/ranks/parts.hpp"

#include <algorithm>
#include <utility>

namespace tbci::suite::ranks {
namespace {

bool holds(const std::vector<Span>& spans, std::int64_t time) {
  return std::any_of(spans.begin(), spans.end(),
                     [time](const Span& span) { return span.begin <= time && time < span.end; });
}

std::vector<Span> both(std::vector<Span> one, const std::vector<Span>& other) {
  one.insert(one.end(), other.begin(), other.end());
  return one;
}

}  // namespace

std::int64_t time_in(const std::vector<Span>& wanted, const std::vector<Span>& within,
                     const std::vector<Span>& without) {
  std::vector<std::int64_t> ends;  // between two of them, all is the same
  for (const auto* spans : {&wanted, &within, &without}) {
    for (const Span& span : *spans) ends.insert(ends.end(), {span.begin, span.end});
  }
  std::sort(ends.begin(), ends.end());
  std::int64_t sum = 0;
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
    if (holds(wanted, ends[i]) && holds(within, ends[i]) && !holds(without, ends[i])) sum += ends[i + 1] - ends[i];
  }
  return sum;
}

void Parts::add(const Collective& one) {
  const std::int64_t waited_until = std::clamp(one.arrived, one.wait_begin, one.wait_end);
  waiting_ += waited_until - one.wait_begin;
  exposed_ += (one.returned - one.called) + (one.wait_end - waited_until);
  now_.idle.push_back({one.called, one.returned});
  now_.idle.push_back({one.wait_begin, one.wait_end});
  now_.beside.push_back({std::max(one.arrived, one.returned), std::min(one.completed, one.wait_begin)});
}

// What was beside the iteration before counted there.
void Parts::end_iteration(Span iteration) {
  now_.iteration = {iteration};
  iterations_ += iteration.end - iteration.begin;
  hidden_ += time_in(now_.beside, both(before_.iteration, now_.iteration),
                     both(both(before_.idle, now_.idle), before_.beside));
  before_ = std::exchange(now_, {});
}

}  // namespace tbci::suite::ranks
