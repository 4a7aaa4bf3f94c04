#include "detect/timeline/operator_step.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "detect/timeline/categories.hpp"
#include "storage/model/measurement.hpp"

namespace tbci::detect {

using model::CauseKind;
using model::OverheadKind;
using model::StepPart;

namespace {

// Calls of one operator with the same sizes; nanoseconds without page faults and waiting.
struct SizedCalls {
  double count = 0, net = 0;
  double each() const { return net / count; }
};

// One operator in all recordings of one build.
struct OneSide {
  std::vector<double> net, calls;            // of each recording
  std::map<std::string, SizedCalls> groups;  // medians over the recordings, by sizes
  OwnTime split;                             // medians as well
};

struct OperatorStep {
  OneSide before, after;
  bool kernel = true;
};

using OperatorSteps = std::map<std::string, OperatorStep>;

// The sizes that a recording has not count as 0 there.
std::vector<double> each_recording(const RecordedParts& recordings, const CallGroup& group, const auto& number) {
  std::vector<double> values;
  for (const IterationParts& parts : recordings) {
    const auto found = parts.groups.find(group);
    values.push_back(found == parts.groups.end() ? 0 : number(found->second));
  }
  return values;
}

void add_side(OperatorSteps& operators, const RecordedParts& recordings, OneSide OperatorStep::*side, double price) {
  std::map<CallGroup, bool> groups;
  for (const IterationParts& parts : recordings) {
    for (const auto& [group, time] : parts.groups) {
      if (group.region == Region::none) groups[group] |= !time.kernel;
    }
  }
  for (const auto& [group, calls_kernels] : groups) {
    OperatorStep& all = operators[group.name];
    OneSide& one = all.*side;
    all.kernel = all.kernel && !calls_kernels;
    const auto net = each_recording(recordings, group,
                                    [&](const GroupTime& time) { return time.own - time_of_faults(time, price); });
    const auto calls = each_recording(recordings, group, [](const GroupTime& time) { return time.calls; });
    one.net.resize(recordings.size());
    one.calls.resize(recordings.size());
    for (std::size_t i = 0; i < recordings.size(); ++i) {
      one.net[i] += net[i];
      one.calls[i] += calls[i];
    }
    one.groups[group.sizes] = {.count = model::median(calls), .net = model::median(net)};
    const auto stretch = [&](double OwnTime::*part) {
      return model::median(each_recording(recordings, group, [&](const GroupTime& time) { return time.split.*part; }));
    };
    one.split.before += stretch(&OwnTime::before);
    one.split.between += stretch(&OwnTime::between);
    one.split.after += stretch(&OwnTime::after);
  }
}

OperatorSteps operators_of(const RecordedParts& before, const RecordedParts& after, double price) {
  OperatorSteps operators;
  add_side(operators, before, &OperatorStep::before, price);
  add_side(operators, after, &OperatorStep::after, price);
  for (auto& [name, one] : operators) {
    one.before.net.resize(before.size());
    one.before.calls.resize(before.size());
    one.after.net.resize(after.size());
    one.after.calls.resize(after.size());
  }
  return operators;
}

// What calls of the same sizes, as many on both sides, take before and take more.
struct Grown {
  double calls, before, more;  // nanoseconds of a call
};

std::vector<Grown> grown_groups(const OperatorStep& one) {
  std::vector<Grown> grown;
  for (const auto& [sizes, before] : one.before.groups) {
    const auto after = one.after.groups.find(sizes);
    if (before.count <= 0 || after == one.after.groups.end() || after->second.count != before.count) continue;
    grown.push_back({before.count, before.each(), after->second.each() - before.each()});
  }
  return grown;
}

struct Weighed {
  double value = 0, weight = 0;
};

double weighted_median(std::vector<Weighed> values) {
  std::ranges::sort(values, {}, &Weighed::value);
  double whole = 0, seen = 0;
  for (const Weighed& one : values) whole += one.weight;
  for (const Weighed& one : values) {
    seen += one.weight;
    if (2 * seen >= whole) return one.value;
  }
  return 0;
}

// Half of the calls grew by less, half by more.
double typical_growth(const std::vector<Grown>& grown) {
  std::vector<Weighed> values;
  for (const Grown& one : grown) values.push_back({one.more, one.calls});
  return weighted_median(std::move(values));
}

// What each call of each operator takes more; 0 where it is not the same everywhere.
double cost_of_all_calls(const OperatorSteps& operators, std::size_t least_operators) {
  std::vector<double> votes;
  for (const auto& [name, one] : operators) {
    if (const auto grown = grown_groups(one); !grown.empty()) votes.push_back(typical_growth(grown));
  }
  if (votes.size() < least_operators) return 0;
  std::ranges::sort(votes);
  const double cost = model::median(votes);
  const double low = votes[votes.size() / 4], high = votes[votes.size() - 1 - votes.size() / 4];
  const bool everywhere = cost > 0 ? low >= cost / 2 : high <= cost / 2;
  return everywhere ? cost : 0;
}

// Whether the calls take the same more, however long they were: the better of a constant and a multiple of what they
// took, by the absolute differences in parts of that, as calls spread in proportion.
bool grew_by_a_constant(const std::vector<Grown>& grown) {
  std::vector<Weighed> constants, factors;
  for (const Grown& one : grown) {
    constants.push_back({one.more, one.calls / one.before});
    factors.push_back({one.more / one.before, one.calls});
  }
  const double constant = weighted_median(std::move(constants)), factor = weighted_median(std::move(factors));
  double off_constant = 0, off_factor = 0;
  for (const Grown& one : grown) {
    off_constant += one.calls * std::abs(one.more - constant) / one.before;
    off_factor += one.calls * std::abs(one.more / one.before - factor);
  }
  return off_constant < off_factor;
}

OverheadKind overhead_of(const OperatorStep& one) {
  if (one.kernel) return OverheadKind::launch;
  const double before = std::abs(one.after.split.before - one.before.split.before);
  const double between = std::abs(one.after.split.between - one.before.split.between);
  const double after = std::abs(one.after.split.after - one.before.split.after);
  if (before >= between && before >= after) return OverheadKind::before_kernel;
  return between >= after ? OverheadKind::between_kernels : OverheadKind::after_kernel;
}

bool is_overhead(std::string_view name, const OperatorStep& one, double cost, double long_call_nanoseconds) {
  if (std::lround(model::median(one.before.calls)) != std::lround(model::median(one.after.calls))) return false;
  if (purpose_of(name) == Purpose::move && !is_copy(name)) return true;  // a view or an allocation computes nothing
  std::vector<Grown> grown = grown_groups(one);
  std::erase_if(grown, [](const Grown& group) { return group.before <= 0; });
  if (grown.empty()) return false;
  for (Grown& group : grown) group.more -= cost;
  const auto [shortest, longest] = std::ranges::minmax_element(grown, {}, &Grown::before);
  if (longest->before >= 2 * shortest->before) return grew_by_a_constant(grown);
  // What an operator takes beside the kernels that it calls has the dispatch of these in it, at least of one.
  return longest->before < (one.kernel ? 1 : 2) * long_call_nanoseconds;
}

double dispatch_of(const RecordedParts& recordings) {
  std::vector<double> values;
  for (const IterationParts& parts : recordings) values.push_back(parts.dispatch_nanoseconds);
  return model::median(std::move(values));
}

// What half of the operators' calls take less than, times the calls: it grows with the cost of a call and with nothing
// that few operators do.
std::vector<double> cost_of_calls(const OperatorSteps& operators, OneSide OperatorStep::*side, std::size_t recordings) {
  std::vector<double> costs;
  for (std::size_t i = 0; i < recordings; ++i) {
    std::vector<double> each;
    double calls = 0;
    for (const auto& [name, one] : operators) {
      const OneSide& seen = one.*side;
      if (seen.calls[i] <= 0) continue;
      each.push_back(seen.net[i] / seen.calls[i]);
      calls += seen.calls[i];
    }
    costs.push_back(each.empty() ? 0 : model::median(std::move(each)) * calls);
  }
  return costs;
}

}  // namespace

double time_of_faults(const GroupTime& time, double fault_nanoseconds) {
  return std::min(time.own, time.faults * fault_nanoseconds);
}

StepPart compared_part(StepPart part, const std::vector<double>& before, const std::vector<double>& after,
                       double least) {
  part.nanoseconds = model::median(after) - model::median(before);
  // Recordings are taken in turn: what disturbs the machine disturbs both of a pair. By chance three pairs go one way
  // in one of four times; that three recordings lie on one side of three others is one of ten.
  const bool shrank = part.nanoseconds < 0;
  const double sign = shrank ? -1 : 1;
  double lowest = INFINITY;
  for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i)
    lowest = std::min(lowest, sign * (after[i] - before[i]));
  const auto [lower, upper] = shrank ? std::pair(&after, &before) : std::pair(&before, &after);
  const bool apart = std::ranges::max(*lower) < std::ranges::min(*upper);
  part.clear = apart && lowest >= std::max(least, std::abs(part.nanoseconds) / 3);
  return part;
}

std::vector<StepPart> operator_parts(const RecordedParts& before, const RecordedParts& after, const StepScale& scale,
                                     const StepThresholds& thresholds) {
  const OperatorSteps operators = operators_of(before, after, scale.fault_nanoseconds);
  std::vector<StepPart> parts;
  double cost = cost_of_all_calls(operators, thresholds.least_operators), calls = 0;
  for (const auto& [name, one] : operators) calls += model::median(one.after.calls);
  if (std::abs(cost) * calls < scale.least) cost = 0;
  if (cost != 0) {
    parts.push_back(compared_part({.kind = CauseKind::overhead, .overhead = OverheadKind::launch},
                                  cost_of_calls(operators, &OperatorStep::before, before.size()),
                                  cost_of_calls(operators, &OperatorStep::after, after.size()), scale.least));
    parts.back().nanoseconds = cost * calls;
  }
  const double long_call = thresholds.long_call * dispatch_of(before);
  for (const auto& [name, one] : operators) {
    std::vector<double> without_cost = one.after.net;
    for (std::size_t i = 0; i < without_cost.size(); ++i) without_cost[i] -= cost * one.after.calls[i];
    StepPart part{
        .name = name, .calls_before = model::median(one.before.calls), .calls_after = model::median(one.after.calls)};
    if (is_overhead(name, one, cost, long_call)) {
      part.kind = CauseKind::overhead;
      part.overhead = overhead_of(one);
    }
    parts.push_back(compared_part(std::move(part), one.before.net, without_cost, scale.least));
  }
  return parts;
}

}  // namespace tbci::detect
