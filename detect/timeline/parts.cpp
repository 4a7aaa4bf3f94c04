#include "detect/timeline/parts.hpp"

#include <algorithm>
#include <optional>

#include "detect/timeline/categories.hpp"
#include "storage/model/measurement.hpp"

namespace tbci::detect {

namespace {

// What the calls of one group are in one iteration.
struct CallSum {
  double calls = 0, own = 0, faults = 0;
  OwnTime split;
};

// Where the calls that an operator makes begin and end.
struct KernelSpan {
  std::int64_t first = 0, last = 0, in_kernels = 0;
};

bool computes_or_copies(const Look& look, std::size_t call) {
  const std::string_view name = look.name(call);
  return purpose_of(name) == Purpose::compute || is_copy(name);
}

// Calls that differ behind the cut are one group.
std::string input_sizes(const Look& look, const model::TimelineCall& call) {
  constexpr std::size_t longest = 4096;
  std::string text;
  for (const model::TensorUse& input : call.inputs) {
    if (text.size() > longest) return text + "...";
    text += '(';
    if (const model::SeenTensor* tensor = look.tensor(input)) {
      for (const std::int64_t size : tensor->sizes) text += std::to_string(size) + ',';
    }
    text += ')';
  }
  return text;
}

// By the number of a call: from the first kernel that it calls to the last, and what these take. A view or an
// allocation is none.
std::map<std::size_t, KernelSpan> spans_of(const Look& look) {
  std::map<std::size_t, KernelSpan> spans;
  for (std::size_t i = 0; i < look.calls.size(); ++i) {
    if (look.calls[i].parent < 0 || !computes_or_copies(look, i)) continue;
    const model::TimelineCall& call = look.timeline.calls[i];
    const auto [found, fresh] =
        spans.try_emplace(static_cast<std::size_t>(look.calls[i].parent), KernelSpan{call.begin, call.end(), 0});
    found->second.last = std::max(found->second.last, call.end());
    found->second.in_kernels += call.length;
  }
  return spans;
}

// The own time of a call that calls kernels, by where it lies. The views and allocations among its calls are not its
// own, and neither is what it waited: they are taken out of each stretch in proportion.
OwnTime own_time(const model::TimelineCall& call, const KernelSpan& span, double between, double own) {
  OwnTime split{.before = static_cast<double>(span.first - call.begin),
                .between = between,
                .after = static_cast<double>(call.end() - span.last)};
  const double sum = split.sum();
  if (sum <= 0) return {};
  const double scale = own / sum;
  return {.before = split.before * scale, .between = split.between * scale, .after = split.after * scale};
}

using GroupSums = std::map<CallGroup, std::vector<CallSum>>;   // one of each iteration
using RegionSums = std::map<RegionCall, std::vector<double>>;  // nanoseconds of each iteration

// What belongs to no group, in one iteration.
struct OutsideSum {
  double own = 0, faults = 0;  // in no operator
  double waited = 0;           // in an operator or in none
  double tier = 0, communication = 0;
  double beside = 0;         // other threads in the tier
  double waited_for_it = 0;  // at most that, and at most what was waited
  double waited_in_it = 0;   // in the tier, in none of its operators
};

class Summing {
 public:
  explicit Summing(const Look& look)
      : look_(look), spans_(spans_of(look)), regions_(regions_of(look)), outside_(look.outside.size()) {
    for (std::size_t i = 0; i < outside_.size(); ++i) {
      const model::TimelineIteration& one = look.timeline.iterations[i];
      outside_[i].waited = static_cast<double>(one.waited);
      outside_[i].faults = static_cast<double>(one.faults);
      outside_[i].own = static_cast<double>(look.outside[i]) - outside_[i].waited;
    }
    for (std::size_t i = 0; i < look.calls.size(); ++i) {
      if (look.calls[i].iteration < 0) continue;
      if (regions_[i] != Region::none) {
        add_to_region(i);
      } else if (look.timeline.calls[i].thread == look.thread) {
        add(i);
      }
    }
    for (std::size_t i = 0; i < outside_.size(); ++i) {
      OutsideSum& sum = outside_[i];
      // What others do there while this thread waits in the tier is not waited for a second time.
      sum.waited_for_it = std::min(sum.waited, sum.beside - std::min(sum.waited_in_it, sum.beside));
      sum.waited -= sum.waited_for_it;
      // What is waited in the tier is what others do there at the same time: it counts once, as theirs.
      if (sum.waited_in_it > 0) region_calls_[{Region::tier, ""}][i] -= std::min(sum.waited_in_it, sum.beside);
    }
  }
  const GroupSums& groups() const { return groups_; }
  const RegionSums& region_calls() const { return region_calls_; }
  const std::vector<OutsideSum>& outside() const { return outside_; }

 private:
  void add_to_region(std::size_t number) {
    const auto iteration = static_cast<std::size_t>(look_.calls[number].iteration);
    const auto self = static_cast<double>(look_.calls[number].self);
    const bool own_thread = look_.timeline.calls[number].thread == look_.thread;
    OutsideSum& sum = outside_[iteration];
    if (own_thread) {
      (regions_[number] == Region::tier ? sum.tier : sum.communication) += self;
    } else if (regions_[number] == Region::communication) {
      return;  // beside the iteration: it counts where it is waited for
    } else {
      sum.beside += self - std::min(self, static_cast<double>(look_.timeline.calls[number].waited));
    }
    const bool in_none = purpose_of(look_.name(number)) == Purpose::node;
    if (own_thread && !in_none) add_to_group(number);
    if (own_thread && in_none && regions_[number] == Region::tier)
      sum.waited_in_it += std::min(self, static_cast<double>(look_.timeline.calls[number].waited));
    auto& sums = region_calls_[{regions_[number], in_none ? "" : std::string(look_.name(number))}];
    sums.resize(outside_.size());
    sums[iteration] += self;
  }

  void add(std::size_t number) {
    const model::TimelineCall& call = look_.timeline.calls[number];
    const auto iteration = static_cast<std::size_t>(look_.calls[number].iteration);
    const auto self = static_cast<double>(look_.calls[number].self);
    const double waited = std::min(self, static_cast<double>(call.waited));
    outside_[iteration].waited += waited;
    if (purpose_of(look_.name(number)) == Purpose::node) {
      outside_[iteration].own += self - waited;
      outside_[iteration].faults += static_cast<double>(call.faults);
      return;
    }
    add_to_group(number);
  }

  void add_to_group(std::size_t number) {
    const model::TimelineCall& call = look_.timeline.calls[number];
    const auto self = static_cast<double>(look_.calls[number].self);
    const double waited = std::min(self, static_cast<double>(call.waited));
    auto& sums = groups_[{std::string(look_.name(number)), input_sizes(look_, call), regions_[number]}];
    sums.resize(outside_.size());
    CallSum& sum = sums[static_cast<std::size_t>(look_.calls[number].iteration)];
    sum.calls += 1;
    sum.own += self - waited;
    sum.faults += static_cast<double>(call.faults);
    if (const auto span = spans_.find(number); span != spans_.end()) {
      const auto between = static_cast<double>(span->second.last - span->second.first - span->second.in_kernels);
      const OwnTime split = own_time(call, span->second, between, self - waited);
      sum.split.before += split.before;
      sum.split.between += split.between;
      sum.split.after += split.after;
    }
  }

  const Look& look_;
  std::map<std::size_t, KernelSpan> spans_;
  std::vector<Region> regions_;
  std::vector<OutsideSum> outside_;
  GroupSums groups_;
  RegionSums region_calls_;
};

template <class Sum, class Number>
double middle(const std::vector<Sum>& sums, Number number) {
  std::vector<double> values;
  values.reserve(sums.size());
  for (const Sum& sum : sums) values.push_back(number(sum));
  return model::median(std::move(values));
}

// Another thread may do its part of one iteration in the next, which is not recorded: those that have less than half of
// the most do not count.
double middle_waited_for_tier(const std::vector<OutsideSum>& sums) {
  const double most = std::ranges::max_element(sums, {}, &OutsideSum::beside)->beside;
  std::vector<double> values;
  for (const OutsideSum& sum : sums) {
    if (2 * sum.beside >= most) values.push_back(sum.waited_for_it);
  }
  return model::median(std::move(values));
}

GroupTime time_of(const std::vector<CallSum>& sums) {
  GroupTime time;
  time.calls = middle(sums, [](const CallSum& sum) { return sum.calls; });
  time.own = middle(sums, [](const CallSum& sum) { return sum.own; });
  time.faults = middle(sums, [](const CallSum& sum) { return sum.faults; });
  time.split = {.before = middle(sums, [](const CallSum& sum) { return sum.split.before; }),
                .between = middle(sums, [](const CallSum& sum) { return sum.split.between; }),
                .after = middle(sums, [](const CallSum& sum) { return sum.split.after; })};
  time.kernel = std::ranges::all_of(sums, [](const CallSum& sum) { return sum.split.sum() <= 0; });
  return time;
}

}  // namespace

IterationParts parts_of(const Look& look) {
  const Summing summing(look);
  IterationParts parts;
  std::vector<double> lengths, unwatched;
  for (const model::TimelineIteration& one : look.timeline.iterations) {
    lengths.push_back(static_cast<double>(one.length));
    unwatched.push_back(static_cast<double>(one.unwatched));
  }
  parts.whole = model::median(std::move(lengths));
  parts.unwatched = model::median(std::move(unwatched));
  const auto of_outside = [&](double OutsideSum::*number) {
    return middle(summing.outside(), [&](const OutsideSum& sum) { return sum.*number; });
  };
  parts.outside = of_outside(&OutsideSum::own);
  parts.outside_faults = of_outside(&OutsideSum::faults);
  parts.waited = of_outside(&OutsideSum::waited);
  parts.tier = of_outside(&OutsideSum::tier) + middle_waited_for_tier(summing.outside());
  parts.communication = of_outside(&OutsideSum::communication);
  for (const auto& [call, sums] : summing.region_calls())
    parts.region_calls[call] = middle(sums, [](double sum) { return sum; });
  parts.fault_nanoseconds = static_cast<double>(look.timeline.speed.writing.fault_nanoseconds);
  parts.dispatch_nanoseconds = static_cast<double>(look.timeline.speed.dispatch_nanoseconds);
  for (const auto& [group, sums] : summing.groups()) parts.groups[group] = time_of(sums);
  return parts;
}

}  // namespace tbci::detect
