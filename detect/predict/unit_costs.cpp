#include "detect/predict/unit_costs.hpp"

#include <algorithm>
#include <numeric>

#include "detect/timeline/categories.hpp"

namespace tbci::detect {

double PredictedUnit::sum() const {
  return std::accumulate(overheads.begin(), overheads.end(), kernel + launch + page_faults + waiting + unknown);
}

UnitCosts::UnitCosts(const std::vector<BatchRecording>& recordings, std::size_t reference,
                     const std::vector<CallUnit>& units, int batch)
    : recordings_(recordings), reference_(reference), batch_(batch) {
  std::vector<CostPoint> launches;
  fault_price_ = recordings.front().recorded.fault_nanoseconds;
  for (const BatchRecording& one : recordings) {
    launches.push_back({static_cast<double>(one.batch), one.recorded.dispatch_nanoseconds});
    fault_price_ = std::min(fault_price_, one.recorded.fault_nanoseconds);
  }
  launch_ = value_between(launches, batch_);
  for (const CallUnit& unit : units) has_kernel_[unit.top] = has_kernel_[unit.top] || unit.kernel;
  learn_overheads(units);
  learn_gaps(units);
}

// Of a call that is not a kernel, in a recording: without page faults.
CallOverheads UnitCosts::overheads_of(const CallUnit& unit, const UnitTime& time) const {
  const double net = std::max(time.own - time.faults * fault_price_, 0.0), split = time.split.sum();
  if (!has_kernel_.at(unit.top)) return {net, 0, 0, 0};
  if (split <= 0) return {0, 0, net, 0};  // this recording alone took nothing in the model's call for a kernel
  return {0, net * time.split.before / split, net * time.split.between / split, net * time.split.after / split};
}

double UnitCosts::mean_at_batch(const Sums& sums) const {
  std::vector<CostPoint> means;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (sums[i].calls > 0) means.push_back({batch_of(i), sums[i].nanoseconds / sums[i].calls});
  }
  return CostCurve(std::move(means)).at(batch_);
}

void UnitCosts::learn_overheads(const std::vector<CallUnit>& units) {
  std::map<OverheadKey, Sums> all;
  for (const CallUnit& unit : units) {
    if (unit.kernel) continue;
    const CallOverheads there = overheads_of(unit, time_of_unit(unit, reference(), unit.call));
    for (std::size_t i = 0; i < recordings_.size(); ++i) {
      if (!unit.places[i]) continue;
      const CallOverheads own = overheads_of(unit, time_of_unit(unit, recordings_[i].recorded, *unit.places[i]));
      for (std::size_t type = 0; type < own.size(); ++type) {
        if (there[type] <= 0) continue;
        Sums& sums = all[{name_of(unit), type}];
        sums.resize(recordings_.size());
        sums[i].calls += 1;
        sums[i].nanoseconds += own[type];
      }
    }
  }
  for (const auto& [key, sums] : all) overheads_[key] = mean_at_batch(sums);
}

void UnitCosts::learn_gaps(const std::vector<CallUnit>& units) {
  std::map<std::string, Sums> all;
  const auto add = [&](const std::string& name, std::size_t recording, double gap) {
    Sums& sums = all[name];
    sums.resize(recordings_.size());
    sums[recording].calls += 1;
    sums[recording].nanoseconds += gap;
  };
  for (const CallUnit& unit : units) {
    if (unit.call != unit.top || reference().calls[unit.call].lane != 0) continue;
    for (std::size_t i = 0; i < recordings_.size(); ++i) {
      if (unit.places[i]) add(name_of(unit), i, recordings_[i].recorded.calls[*unit.places[i]].gap);
    }
  }
  for (std::size_t i = 0; i < recordings_.size(); ++i) add("", i, recordings_[i].recorded.last_gap);
  for (const auto& [name, sums] : all) gaps_[name] = mean_at_batch(sums);
}

// Whether its thread computes or waits for other processes: whoever needs the result waits for all of it.
double UnitCosts::time_of_collective(const CallUnit& unit, const UnitWork& work) const {
  std::vector<CostPoint> times;
  for (std::size_t i = 0; i < recordings_.size(); ++i) {
    if (!unit.places[i]) continue;
    const UnitTime time = time_of_unit(unit, recordings_[i].recorded, *unit.places[i]);
    times.push_back({*work.amounts[i], time.own + time.waited});
  }
  return CostCurve(std::move(times)).at(work.wanted);
}

PredictedUnit UnitCosts::predict(const CallUnit& unit) const {
  const UnitTime there = time_of_unit(unit, reference(), unit.call);
  if (unit.batches() < 2) return {.unknown = there.own + there.waited};
  const UnitWork work = work_of_unit(unit, recordings_, static_cast<int>(batch_));
  PredictedUnit predicted{.sizes_follow_data = work.follows_data};
  if (is_collective(name_of(unit))) {
    predicted.waiting = time_of_collective(unit, work);
    return predicted;
  }
  std::vector<CostPoint> own, faults, waited;
  for (std::size_t i = 0; i < recordings_.size(); ++i) {
    if (!unit.places[i]) continue;
    const UnitTime time = time_of_unit(unit, recordings_[i].recorded, *unit.places[i]);
    const double of_faults = std::min(time.faults * fault_price_, time.own);
    own.push_back({*work.amounts[i], time.own - of_faults});
    faults.push_back({batch_of(i), of_faults});
    waited.push_back({batch_of(i), time.waited});
  }
  predicted.page_faults = value_between(faults, batch_);
  predicted.waiting = value_between(waited, batch_);
  if (unit.kernel) {
    const double whole = CostCurve(std::move(own)).at(work.wanted);
    predicted.launch = std::min(whole, launch_);
    predicted.kernel = whole - predicted.launch;
    return predicted;
  }
  const CallOverheads in_reference = overheads_of(unit, there);
  for (std::size_t type = 0; type < in_reference.size(); ++type) {
    if (in_reference[type] > 0) predicted.overheads[type] = overheads_.at({name_of(unit), type});
  }
  return predicted;
}

}  // namespace tbci::detect
