#include "detect/predict/looped_calls.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "detect/predict/cost_curve.hpp"

namespace tbci::detect {

namespace {

using model::OverheadKind;

// What the calls of one operator take together, in one batch.
struct LoopedTime {
  double calls = 0, kernels = 0;  // numbers
  double in_kernels = 0, between_operators = 0, before = 0, between = 0, after = 0;
  double page_faults = 0, waited = 0;
};
using LoopedTimes = std::map<std::string, std::vector<LoopedTime>>;  // by operator, of each batch

// Kernels in a model's own call.
std::vector<bool> tops_with_kernels(const RecordedIteration& recorded) {
  std::vector<bool> with(recorded.calls.size());
  for (std::size_t top = 0; top < recorded.calls.size(); top = recorded.calls[top].end) {
    bool any = false;
    for (std::size_t i = top; i < recorded.calls[top].end; ++i) any = any || recorded.calls[i].kernel;
    for (std::size_t i = top; i < recorded.calls[top].end; ++i) with[i] = any;
  }
  return with;
}

void add(const RecordedCall& call, bool with_kernels, double fault_price, LoopedTime& time) {
  const double faults = std::min(call.faults * fault_price, call.own), net = call.own - faults;
  time.calls += 1;
  time.page_faults += faults;
  time.waited += call.waited;
  if (call.kernel) {
    time.kernels += 1;
    time.in_kernels += net;
    return;
  }
  const double split = call.split.sum();
  if (!with_kernels || split <= 0) {
    (with_kernels ? time.between : time.between_operators) += net;
    return;
  }
  time.before += net * call.split.before / split;
  time.between += net * call.split.between / split;
  time.after += net * call.split.after / split;
}

LoopedTimes times_of(const std::vector<BatchRecording>& recordings, double fault_price) {
  LoopedTimes times;
  for (std::size_t k = 0; k < recordings.size(); ++k) {
    const RecordedIteration& recorded = recordings[k].recorded;
    const std::vector<bool> with_kernels = tops_with_kernels(recorded);
    for (std::size_t i = 0; i < recorded.calls.size(); ++i) {
      auto& of_batches = times[recorded.calls[i].name];
      of_batches.resize(recordings.size());
      add(recorded.calls[i], with_kernels[i], fault_price, of_batches[k]);
    }
  }
  return times;
}

double gaps_of(const RecordedIteration& recorded) {
  double sum = recorded.last_gap;
  for (const RecordedCall& call : recorded.calls) sum += call.gap;
  return sum;
}

}  // namespace

bool calls_follow_batch(const std::vector<BatchRecording>& recordings) {
  if (recordings.size() < 3) return false;
  std::map<std::string, std::vector<double>> counts;
  for (std::size_t k = 0; k < recordings.size(); ++k) {
    for (const RecordedCall& call : recordings[k].recorded.calls) {
      if (call.lane > 0) return false;
      auto& of_batches = counts[call.name];
      of_batches.resize(recordings.size());
      of_batches[k] += 1;
    }
  }
  const double first = recordings.front().batch, last = recordings.back().batch;
  double calls = 0, grown = 0;  // of the largest batch
  for (const auto& [name, of] : counts) {
    const double each = (of.back() - of.front()) / (last - first);  // sample
    for (std::size_t k = 0; k < of.size(); ++k) {
      if (std::abs(of.front() + each * (recordings[k].batch - first) - of[k]) > 1e-6) return false;
    }
    calls += of.back();
    grown += each * last;
  }
  return 2 * grown > calls;
}

Prediction predict_loop(const std::vector<BatchRecording>& recordings, int batch) {
  double fault_price = recordings.front().recorded.fault_nanoseconds;
  for (const BatchRecording& one : recordings) fault_price = std::min(fault_price, one.recorded.fault_nanoseconds);
  const auto at_batch = [&](auto value) {
    std::vector<CostPoint> points;
    for (std::size_t k = 0; k < recordings.size(); ++k)
      points.push_back({static_cast<double>(recordings[k].batch), value(k)});
    return CostCurve(std::move(points)).at(batch);
  };
  const double launch = at_batch([&](std::size_t k) { return recordings[k].recorded.dispatch_nanoseconds; });
  Prediction prediction;
  for (const auto& [name, times] : times_of(recordings, fault_price)) {
    const auto sum = [&](double LoopedTime::*part) { return at_batch([&](std::size_t k) { return times[k].*part; }); };
    if (const double kernels = sum(&LoopedTime::kernels); kernels > 0) {
      const double whole = sum(&LoopedTime::in_kernels), launches = std::min(whole, kernels * launch);
      FamilyTime& family = prediction.kernels[family_of(name)];
      family.nanoseconds += whole - launches;
      family.calls += kernels;
      prediction.overheads[OverheadKind::launch] += launches;
    }
    prediction.overheads[OverheadKind::between_operators] += sum(&LoopedTime::between_operators);
    prediction.overheads[OverheadKind::before_kernel] += sum(&LoopedTime::before);
    prediction.overheads[OverheadKind::between_kernels] += sum(&LoopedTime::between);
    prediction.overheads[OverheadKind::after_kernel] += sum(&LoopedTime::after);
    prediction.page_faults += sum(&LoopedTime::page_faults);
    prediction.waiting += sum(&LoopedTime::waited);
  }
  prediction.overheads[OverheadKind::between_operators] +=
      at_batch([&](std::size_t k) { return gaps_of(recordings[k].recorded); });
  prediction.looped = true;
  prediction.time = prediction.active() + prediction.page_faults + prediction.waiting;
  for (const auto& [kind, nanoseconds] : prediction.overheads) prediction.time += nanoseconds;
  return prediction;
}

}  // namespace tbci::detect
