#include "detect/timeline/look.hpp"

#include <algorithm>
#include <map>
#include <span>

#include "detect/timeline/categories.hpp"
#include "detect/timeline/regions.hpp"

namespace tbci::detect {

namespace {

using model::Timeline;
using model::TimelineCall;

Status check_size(const Timeline& timeline) {
  if (timeline.cut_off)
    return fail(ErrorKind::failed, "the timeline is cut off: an iteration has more calls than a worker records");
  if (timeline.iterations.empty()) return fail(ErrorKind::failed, "the timeline has no iteration");
  if (timeline.iterations.size() > most_iterations_looked_at)
    return fail(ErrorKind::failed, "the timeline has {} iterations: more than {} are not looked at",
                timeline.iterations.size(), most_iterations_looked_at);
  if (timeline.calls.size() > most_calls_looked_at || timeline.work.size() > most_calls_looked_at) {
    return fail(ErrorKind::failed, "the timeline has {} calls and {} pieces of work: more than {} are not looked at",
                timeline.calls.size(), timeline.work.size(), most_calls_looked_at);
  }
  return {};
}

Status check_iterations(const Timeline& timeline) {
  std::int64_t end = INT64_MIN;
  for (std::size_t i = 0; i < timeline.iterations.size(); ++i) {
    const model::TimelineIteration& one = timeline.iterations[i];
    if (one.length <= 0 || one.waited < 0 || one.unwatched < 0)
      return fail(ErrorKind::failed, "iteration {} of the timeline has a length that is not above 0", i);
    if (one.begin < end) return fail(ErrorKind::failed, "iteration {} of the timeline begins before the last ended", i);
    end = one.end();
  }
  return {};
}

bool knows(const Timeline& timeline, std::span<const model::TensorUse> uses) {
  return std::all_of(uses.begin(), uses.end(), [&](const model::TensorUse& use) {
    return use.tensor < static_cast<std::int64_t>(timeline.tensors.size());
  });
}

Status check_numbers(const Timeline& timeline) {
  for (std::size_t i = 0; i < timeline.tensors.size(); ++i) {
    if (timeline.tensors[i].type >= timeline.names.size())
      return fail(ErrorKind::failed, "tensor {} of the timeline has no type", i);
  }
  for (std::size_t i = 0; i < timeline.calls.size(); ++i) {
    const TimelineCall& call = timeline.calls[i];
    if (call.length < 0 || call.waited < 0)
      return fail(ErrorKind::failed, "call {} of the timeline has a negative length", i);
    if (call.name >= timeline.names.size() || !knows(timeline, call.inputs) || !knows(timeline, call.outputs))
      return fail(ErrorKind::failed, "call {} of the timeline names an operator or a tensor that is not there", i);
  }
  for (std::size_t i = 0; i < timeline.work.size(); ++i) {
    const model::TimelineWork& work = timeline.work[i];
    if (work.length < 0) return fail(ErrorKind::failed, "work {} of the timeline has a negative length", i);
    if (work.call >= static_cast<std::int64_t>(timeline.calls.size()))
      return fail(ErrorKind::failed, "work {} of the timeline names a call that is not there", i);
  }
  return {};
}

// What is open on a thread, the outermost first.
struct Open {
  std::vector<std::size_t> calls;
  std::int64_t last_begin = INT64_MIN;
};

std::ptrdiff_t iteration_at(const Timeline& timeline, std::int64_t time) {
  const auto after = std::upper_bound(timeline.iterations.begin(), timeline.iterations.end(), time,
                                      [](std::int64_t at, const auto& one) { return at < one.begin; });
  if (after == timeline.iterations.begin() || time > (after - 1)->end()) return -1;
  return after - 1 - timeline.iterations.begin();
}

bool is_node(const Look& look, std::size_t call) {
  return look.name(call).find('.') == std::string_view::npos;
}

Status place(Look& look, std::size_t number, Open& open) {
  const TimelineCall& call = look.timeline.calls[number];
  if (call.begin < open.last_begin) return fail(ErrorKind::failed, "call {} of the timeline is out of order", number);
  open.last_begin = call.begin;
  while (!open.calls.empty() && look.timeline.calls[open.calls.back()].end() <= call.begin) open.calls.pop_back();
  PlacedCall& placed = look.calls[number];
  placed.self += call.length;
  placed.iteration = iteration_at(look.timeline, call.begin);
  if (!open.calls.empty()) {
    const std::size_t parent = open.calls.back();
    if (call.end() > look.timeline.calls[parent].end())
      return fail(ErrorKind::failed, "call {} of the timeline ends after call {}, which made it", number, parent);
    placed.parent = static_cast<std::ptrdiff_t>(parent);
    placed.caller = is_node(look, parent) ? look.calls[parent].caller : placed.parent;
    look.calls[parent].self -= call.length;
  }
  placed.top = !is_node(look, number) && placed.caller < 0;
  open.calls.push_back(number);
  return {};
}

Status place_all(Look& look) {
  std::map<std::size_t, Open> threads;
  for (std::size_t i = 0; i < look.timeline.calls.size(); ++i)
    TBCI_TRY(place(look, i, threads[look.timeline.calls[i].thread]));
  return {};
}

void find_thread(Look& look) {
  std::map<std::size_t, std::int64_t> times;
  for (std::size_t i = 0; i < look.calls.size(); ++i) {
    // Other threads may be in a region, or communicate, for all of the iteration.
    const std::string_view name = look.name(i);
    if (look.calls[i].parent >= 0 || is_region_mark(name) || is_collective(name)) continue;
    times[look.timeline.calls[i].thread] += look.timeline.calls[i].length;
  }
  if (times.contains(0)) return;  // the worker numbers the thread that iterates so
  std::int64_t longest = -1;
  for (const auto& [thread, time] : times) {
    if (time > longest) {
      longest = time;
      look.thread = thread;
    }
  }
}

Status find_outside(Look& look) {
  for (const model::TimelineIteration& one : look.timeline.iterations) {
    look.whole += one.length;
    look.outside.push_back(one.length);
  }
  for (std::size_t i = 0; i < look.calls.size(); ++i) {
    const TimelineCall& call = look.timeline.calls[i];
    if (call.thread != look.thread || look.calls[i].parent >= 0) continue;
    const std::ptrdiff_t iteration = look.calls[i].iteration;
    if (iteration < 0 || call.end() > look.timeline.iterations[static_cast<std::size_t>(iteration)].end())
      return fail(ErrorKind::failed, "call {} of the timeline is in no iteration", i);
    look.outside[static_cast<std::size_t>(iteration)] -= call.length;
  }
  return {};
}

}  // namespace

Result<Look> look_into(const Timeline& timeline) {
  TBCI_TRY(check_size(timeline));
  TBCI_TRY(check_iterations(timeline));
  TBCI_TRY(check_numbers(timeline));
  Look look{.timeline = timeline, .calls = {}, .outside = {}};
  look.calls.resize(timeline.calls.size());
  TBCI_TRY(place_all(look));
  find_thread(look);
  TBCI_TRY(find_outside(look));
  return look;
}

}  // namespace tbci::detect
