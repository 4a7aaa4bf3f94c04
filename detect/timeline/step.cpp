#include "detect/timeline/step.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "base/assert.hpp"
#include "detect/timeline/operator_step.hpp"
#include "storage/model/measurement.hpp"

namespace tbci::detect {

using model::CauseKind;
using model::OverheadKind;
using model::StepPart;
using model::StepSplit;

namespace {

double median_over(const RecordedParts& recordings, const std::function<double(const IterationParts&)>& number) {
  std::vector<double> values;
  values.reserve(recordings.size());
  for (const IterationParts& parts : recordings) values.push_back(number(parts));
  return model::median(std::move(values));
}

double price_of_fault(const RecordedParts& before, const RecordedParts& after) {
  RecordedParts all = before;
  all.insert(all.end(), after.begin(), after.end());
  return median_over(all, [](const IterationParts& parts) { return parts.fault_nanoseconds; });
}

// Of one recording: the parts that belong to no operator.
struct Common {
  double between_operators = 0, faults = 0, waiting = 0, tier = 0, communication = 0;
};

Common common_of(const IterationParts& parts, double price) {
  const double outside_faulting = std::min(parts.outside, parts.outside_faults * price);
  Common common{.between_operators = parts.outside - outside_faulting,
                .faults = outside_faulting,
                .waiting = parts.waited,
                .tier = parts.tier,
                .communication = parts.communication};
  for (const auto& [group, time] : parts.groups) {
    if (group.region == Region::none) common.faults += time_of_faults(time, price);
  }
  return common;
}

std::vector<double> each_common(const RecordedParts& recordings, double price, double Common::*number) {
  std::vector<double> values;
  for (const IterationParts& parts : recordings) values.push_back(common_of(parts, price).*number);
  return values;
}

enum class Way { more, less, either };

Way way_of(double difference) {
  return difference < 0 ? Way::less : Way::more;
}

// The operator whose number went most the given way, "" for what is in none; none where no number went that way.
// `add_all(parts, add)` gives each one's number.
template <class AddAll>
std::string most_changed(const RecordedParts& before, const RecordedParts& after, Way way, const AddAll& add_all) {
  std::map<std::string, double> more;
  for (const auto& [recordings, sign] : {std::pair(&after, 1.0), std::pair(&before, -1.0)}) {
    for (const IterationParts& parts : *recordings) {
      add_all(parts, [&, weight = sign / static_cast<double>(recordings->size())](
                         const std::string& name, double number) { more[name] += weight * number; });
    }
  }
  const auto change = [way](const auto& one) {
    return way == Way::either ? std::abs(one.second) : way == Way::less ? -one.second : one.second;
  };
  const auto most = std::ranges::max_element(more, {}, change);
  return most == more.end() || change(*most) <= 0 ? "" : most->first;
}

std::string most_faulting(const RecordedParts& before, const RecordedParts& after, Way way) {
  return most_changed(before, after, way, [](const IterationParts& parts, const auto& add) {
    add("", parts.outside_faults);
    for (const auto& [group, time] : parts.groups) {
      if (group.region == Region::none) add(group.name, time.faults);
    }
  });
}

std::string most_changed_in(Region region, const RecordedParts& before, const RecordedParts& after, Way way,
                            bool in_operators = false) {
  return most_changed(before, after, way, [&](const IterationParts& parts, const auto& add) {
    for (const auto& [call, nanoseconds] : parts.region_calls) {
      if (call.region == region && !(in_operators && call.name.empty())) add(call.name, nanoseconds);
    }
  });
}

// What disturbs a machine is in a region as a whole, in no operator above all. Where the whole is not clear, the
// operator in it that grew most may be: then it is a part of its own, unless the rest clearly makes up for it, as where
// it goes on beside something else.
std::vector<StepPart> clear_operator_apart(const StepPart& whole, Region region, const RecordedParts& before,
                                           const RecordedParts& after, double least) {
  const RegionCall call{region, most_changed_in(region, before, after, Way::either, true)};
  if (whole.clear || call.name.empty()) return {whole};
  const auto each = [&](const RecordedParts& recordings, const auto& number) {
    std::vector<double> values;
    for (const IterationParts& parts : recordings) values.push_back(number(parts));
    return values;
  };
  const auto in_call = [&](const IterationParts& parts) {
    const auto found = parts.region_calls.find(call);
    return found == parts.region_calls.end() ? 0 : found->second;
  };
  const auto in_rest = [&](const IterationParts& parts) {
    return (region == Region::tier ? parts.tier : parts.communication) - in_call(parts);
  };
  const StepPart one =
      compared_part({.kind = whole.kind, .name = call.name}, each(before, in_call), each(after, in_call), least);
  StepPart rest = compared_part({.kind = whole.kind}, each(before, in_rest), each(after, in_rest), least);
  if (!one.clear || (rest.clear && rest.nanoseconds * one.nanoseconds < 0)) return {whole};
  rest.nanoseconds = whole.nanoseconds - one.nanoseconds;  // medians do not add up by themselves
  return {one, rest};
}

void keep_large(StepSplit& step, double least) {
  std::ranges::stable_sort(step.parts, std::greater{}, [](const StepPart& part) { return std::abs(part.nanoseconds); });
  std::erase_if(step.parts, [&](const StepPart& part) { return std::abs(part.nanoseconds) < least; });
  step.rest = step.difference();
  for (const StepPart& part : step.parts) step.rest -= part.nanoseconds;
}

// The clear parts of one kind that go one way, together: the largest one's overhead stands for all, and no operator is
// named.
StepPart together(const StepSplit& step, CauseKind kind, double sign) {
  StepPart sum{.kind = kind};
  for (const StepPart& part : step.parts) {
    if (part.kind != kind || !part.clear || part.nanoseconds * sign <= 0) continue;
    if (!sum.clear) sum.overhead = part.overhead;
    sum.clear = true;
    sum.nanoseconds += part.nanoseconds;
  }
  return sum;
}

// By the clear parts alone: what disturbs the machine is in the step as a whole, and not in them.
void find_cause(StepSplit& step, double least) {
  double clear = 0, sum = 0;
  for (const StepPart& part : step.parts) {
    if (!part.clear) continue;
    clear += part.nanoseconds;
    sum += std::abs(part.nanoseconds);
  }
  const double sign = clear < 0 ? -1 : 1;
  std::vector<StepPart> candidates = step.parts;
  for (const CauseKind kind : {CauseKind::overhead, CauseKind::kernel})
    candidates.push_back(together(step, kind, sign));
  const auto found = std::ranges::find_if(candidates, [&](const StepPart& part) {
    return part.clear && part.nanoseconds * sign >= least && 2 * std::abs(part.nanoseconds) >= sum;
  });
  if (found != candidates.end()) step.cause = *found;
}

}  // namespace

StepSplit split_step(const RecordedParts& before, const RecordedParts& after, const StepThresholds& thresholds) {
  TBCI_ASSERT(!before.empty() && !after.empty());
  const auto whole = [](const IterationParts& parts) { return parts.whole; };
  StepSplit step{.measured = {},
                 .before = median_over(before, whole),
                 .after = median_over(after, whole),
                 .parts = {},
                 .cause = {}};
  const double least = thresholds.least_share * step.before;
  const double price = price_of_fault(before, after);
  const auto compared = [&](StepPart part, double Common::*number) {
    return compared_part(std::move(part), each_common(before, price, number), each_common(after, price, number), least);
  };
  StepPart faults = compared({.kind = CauseKind::page_faults}, &Common::faults);
  faults.name = most_faulting(before, after, way_of(faults.nanoseconds));
  step.parts = {
      compared({.kind = CauseKind::overhead, .overhead = OverheadKind::between_operators}, &Common::between_operators),
      std::move(faults), compared({.kind = CauseKind::waiting}, &Common::waiting)};
  const auto add_region = [&](CauseKind kind, Region region, double Common::*number) {
    StepPart all = compared({.kind = kind}, number);
    all.name = most_changed_in(region, before, after, way_of(all.nanoseconds));
    for (StepPart& part : clear_operator_apart(all, region, before, after, least))
      step.parts.push_back(std::move(part));
  };
  add_region(CauseKind::tier, Region::tier, &Common::tier);
  add_region(CauseKind::communication, Region::communication, &Common::communication);
  for (StepPart& part : operator_parts(before, after, {.fault_nanoseconds = price, .least = least}, thresholds))
    step.parts.push_back(std::move(part));
  keep_large(step, least);
  find_cause(step, thresholds.least_cause * step.before);
  return step;
}

}  // namespace tbci::detect
