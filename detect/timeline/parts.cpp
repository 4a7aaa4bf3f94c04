#include "detect/timeline/parts.hpp"

#include <algorithm>
#include <optional>

#include "detect/timeline/categories.hpp"
#include "storage/model/measurement.hpp"

namespace tbci::detect {

namespace {

// What the calls of one group are in one iteration.
struct CallSum {
  double calls = 0, own = 0, waited = 0, faults = 0;
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

std::string input_sizes(const Look& look, const model::TimelineCall& call) {
  std::string text;
  for (const model::TensorUse& input : call.inputs) {
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

using GroupSums = std::map<CallGroup, std::vector<CallSum>>;  // one of each iteration

class Summing {
 public:
  explicit Summing(const Look& look) : look_(look), spans_(spans_of(look)), outside_(look.outside.size()) {
    for (std::size_t i = 0; i < outside_.size(); ++i) {
      const model::TimelineIteration& one = look.timeline.iterations[i];
      outside_[i].waited = static_cast<double>(one.waited);
      outside_[i].faults = static_cast<double>(one.faults);
      outside_[i].own = static_cast<double>(look.outside[i]) - outside_[i].waited;
    }
    for (std::size_t i = 0; i < look.calls.size(); ++i) {
      if (look.timeline.calls[i].thread == look.thread && look.calls[i].iteration >= 0) add(i);
    }
  }
  const GroupSums& groups() const { return groups_; }
  const std::vector<CallSum>& outside() const { return outside_; }

 private:
  void add(std::size_t number) {
    const model::TimelineCall& call = look_.timeline.calls[number];
    const auto iteration = static_cast<std::size_t>(look_.calls[number].iteration);
    const auto self = static_cast<double>(look_.calls[number].self);
    const double waited = std::min(self, static_cast<double>(call.waited));
    if (purpose_of(look_.name(number)) == Purpose::node) {
      CallSum& sum = outside_[iteration];
      sum.own += self - waited;
      sum.waited += waited;
      sum.faults += static_cast<double>(call.faults);
      return;
    }
    auto& sums = groups_[{std::string(look_.name(number)), input_sizes(look_, call)}];
    sums.resize(outside_.size());
    CallSum& sum = sums[iteration];
    sum.calls += 1;
    sum.own += self - waited;
    sum.waited += waited;
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
  std::vector<CallSum> outside_;
  GroupSums groups_;
};

template <class Number>
double middle(const std::vector<CallSum>& sums, Number number) {
  std::vector<double> values;
  values.reserve(sums.size());
  for (const CallSum& sum : sums) values.push_back(number(sum));
  return model::median(std::move(values));
}

GroupTime time_of(const std::vector<CallSum>& sums) {
  GroupTime time;
  time.calls = middle(sums, [](const CallSum& sum) { return sum.calls; });
  time.own = middle(sums, [](const CallSum& sum) { return sum.own; });
  time.waited = middle(sums, [](const CallSum& sum) { return sum.waited; });
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
  parts.outside = middle(summing.outside(), [](const CallSum& sum) { return sum.own; });
  parts.outside_waited = middle(summing.outside(), [](const CallSum& sum) { return sum.waited; });
  parts.outside_faults = middle(summing.outside(), [](const CallSum& sum) { return sum.faults; });
  parts.fault_nanoseconds = static_cast<double>(look.timeline.speed.fault_nanoseconds);
  parts.dispatch_nanoseconds = static_cast<double>(look.timeline.speed.dispatch_nanoseconds);
  for (const auto& [group, sums] : summing.groups()) parts.groups[group] = time_of(sums);
  return parts;
}

}  // namespace tbci::detect
