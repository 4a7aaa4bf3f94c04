#include "detect/predict/call_units.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "detect/predict/cost_curve.hpp"
#include "detect/predict/matched_calls.hpp"

namespace tbci::detect {

namespace {

using Tensors = std::vector<CallTensor>;

// Half of those that have the call, or anything within it.
bool is_kernel_unit(const CallUnit& unit, const std::vector<BatchRecording>& recordings) {
  std::size_t kernels = 0;
  bool within = false;
  for (std::size_t i = 0; i < recordings.size(); ++i) {
    if (!unit.places[i]) continue;
    const auto& calls = recordings[i].recorded.calls;
    const RecordedCall& call = calls[*unit.places[i]];
    if (call.kernel) ++kernels;
    for (std::size_t inner = *unit.places[i]; unit.whole && inner < call.end; ++inner)
      within = within || calls[inner].kernel;
  }
  return within || 2 * kernels >= unit.batches();
}

bool have_the_same_ranks(const Tensors& one, const Tensors& other) {
  return std::ranges::equal(one, other,
                            [](const CallTensor& a, const CallTensor& b) { return a.sizes.size() == b.sizes.size(); });
}

// Off the straight line from the first point to the last one, by more than rounding and 1%.
bool is_off_the_line(const std::vector<CostPoint>& sizes) {
  const std::vector<CostPoint> ends{sizes.front(), sizes.back()};
  return std::ranges::any_of(sizes, [&](const CostPoint& size) {
    const double expected = value_along(ends, size.amount);
    return std::abs(size.nanoseconds - expected) > std::max(1.0, 0.01 * expected);
  });
}

// Tensors of one side of the call, in each batch that has it, and what they are in another batch.
class SizesOverBatches {
 public:
  void add(int batch, const Tensors& tensors) {
    batches_.push_back(batch);
    seen_.push_back(&tensors);
  }
  bool comparable() const {
    return std::ranges::all_of(seen_, [&](const Tensors* one) { return have_the_same_ranks(*one, *seen_.front()); });
  }
  Tensors at(int batch, bool& follows_data) const {
    Tensors wanted = *seen_.front();
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      for (std::size_t j = 0; j < wanted[i].sizes.size(); ++j) {
        std::vector<CostPoint> points;
        for (std::size_t k = 0; k < seen_.size(); ++k)
          points.push_back({static_cast<double>(batches_[k]), static_cast<double>((*seen_[k])[i].sizes[j])});
        follows_data = follows_data || is_off_the_line(points);
        wanted[i].sizes[j] = std::max<std::int64_t>(std::llround(value_along(points, batch)), 0);
      }
    }
    return wanted;
  }

 private:
  std::vector<int> batches_;
  std::vector<const Tensors*> seen_;
};

bool grow(const std::vector<std::optional<double>>& amounts) {
  double last = 0;
  for (const auto& amount : amounts) {
    if (!amount) continue;
    if (*amount <= last || !std::isfinite(*amount)) return false;
    last = *amount;
  }
  return true;
}

}  // namespace

std::size_t CallUnit::batches() const {
  return static_cast<std::size_t>(std::ranges::count_if(places, [](const auto& place) { return place.has_value(); }));
}

std::vector<CallUnit> units_of(const std::vector<BatchRecording>& recordings, std::size_t reference) {
  const RecordedIteration& own = recordings[reference].recorded;
  std::vector<MatchedCalls> matched;
  for (const BatchRecording& other : recordings) matched.push_back(match_calls(own, other.recorded));
  std::vector<CallUnit> units;
  std::size_t top = 0;
  for (std::size_t i = 0; i < own.calls.size();) {
    if (own.calls[i].parent < 0) top = i;
    CallUnit unit{.call = i, .top = top, .places = std::vector<std::optional<std::size_t>>(recordings.size())};
    for (std::size_t k = 0; k < recordings.size(); ++k) {
      if (matched[k].partner[i] >= 0) unit.places[k] = static_cast<std::size_t>(matched[k].partner[i]);
      unit.whole = unit.whole || matched[k].differs_inside[i];
    }
    unit.kernel = is_kernel_unit(unit, recordings);
    i = unit.whole ? own.calls[i].end : i + 1;
    units.push_back(std::move(unit));
  }
  return units;
}

UnitTime time_of_unit(const CallUnit& unit, const RecordedIteration& recorded, std::size_t place) {
  UnitTime time;
  const std::size_t end = unit.whole ? recorded.calls[place].end : place + 1;
  for (std::size_t i = place; i < end; ++i) {
    const RecordedCall& call = recorded.calls[i];
    time.own += call.own;
    time.waited += call.waited;
    time.faults += call.faults;
    time.split.before += call.split.before;
    time.split.between += call.split.between;
    time.split.after += call.split.after;
  }
  return time;
}

UnitWork work_of_unit(const CallUnit& unit, const std::vector<BatchRecording>& recordings, int batch) {
  UnitWork work;
  SizesOverBatches inputs, outputs;
  std::string_view name;
  for (std::size_t i = 0; i < recordings.size(); ++i) {
    work.amounts.emplace_back();
    if (!unit.places[i]) continue;
    const RecordedCall& call = recordings[i].recorded.calls[*unit.places[i]];
    name = call.name;
    work.amounts.back() = amount_of_work(call.name, call.inputs, call.outputs);
    inputs.add(recordings[i].batch, call.inputs);
    outputs.add(recordings[i].batch, call.outputs);
  }
  if (unit.batches() > 0 && inputs.comparable() && outputs.comparable()) {
    const Tensors in = inputs.at(batch, work.follows_data), out = outputs.at(batch, work.follows_data);
    work.wanted = amount_of_work(name, in, out);
    work.by_sizes = grow(work.amounts) && work.wanted > 0 && std::isfinite(work.wanted);
  }
  if (work.by_sizes) return work;
  for (std::size_t i = 0; i < recordings.size(); ++i) {
    if (work.amounts[i]) work.amounts[i] = recordings[i].batch;
  }
  work.wanted = batch;
  return work;
}

}  // namespace tbci::detect
