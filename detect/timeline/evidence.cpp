#include "detect/timeline/evidence.hpp"

#include <algorithm>
#include <set>

#include "detect/timeline/flops.hpp"
#include "detect/timeline/split.hpp"

namespace tbci::detect {
namespace {

constexpr std::string_view sparse_type = "sparse ";

}  // namespace

double bytes_of_element(std::string_view type) {
  if (type.starts_with(sparse_type)) type.remove_prefix(sparse_type.size());
  if (type == "fp16" || type == "bf16" || type == "Short") return 2;
  if (type == "fp64" || type == "Long" || type == "ComplexFloat") return 8;
  if (type == "Bool" || type == "Byte" || type == "Char" || type.starts_with("Float8")) return 1;
  return 4;
}

void HintSums::add(HintKind kind, std::string_view name, double calls, double time, double gain,
                   std::string_view within) {
  Hint& hint = sums_[{kind, std::string(name), std::string(within)}];
  hint.kind = kind;
  hint.name = name;
  hint.within = within;
  hint.calls += calls;
  hint.time += time;
  hint.gain += gain;
}

std::vector<Hint> HintSums::hints(const HintThresholds& thresholds) const {
  const auto count = static_cast<double>(look_.timeline.iterations.size());
  // On a GPU what the recorder adds is in the iteration, and in no part of it.
  const double whole = look_.timeline.on_gpu ? count * split_of(look_).whole() : static_cast<double>(look_.whole);
  std::vector<Hint> all;
  for (const auto& [key, sum] : sums_) {
    Hint hint = sum;
    hint.calls /= count;
    hint.share = std::min(sum.time / whole, 1.0);
    hint.gain = std::clamp(sum.gain / whole, 0.0, 1.0);
    hint.time /= count;
    if (hint.gain >= thresholds.least_gain) all.push_back(std::move(hint));
  }
  std::stable_sort(all.begin(), all.end(), [](const Hint& a, const Hint& b) { return a.gain > b.gain; });
  return all;
}

std::vector<std::vector<std::size_t>> calls_of_all_threads(const Look& look) {
  std::vector<std::vector<std::size_t>> all(look.timeline.iterations.size());
  for (std::size_t i = 0; i < look.calls.size(); ++i) {
    if (look.calls[i].iteration >= 0) all[static_cast<std::size_t>(look.calls[i].iteration)].push_back(i);
  }
  for (auto& calls : all)  // the calls of one thread stand in their order
    std::ranges::stable_sort(calls, {}, [&](std::size_t i) { return look.timeline.calls[i].begin; });
  return all;
}

std::vector<std::vector<std::size_t>> top_calls(const Look& look) {
  auto all = calls_of_all_threads(look);
  for (auto& calls : all) {
    std::erase_if(calls,
                  [&](std::size_t i) { return !look.calls[i].top || look.timeline.calls[i].thread != look.thread; });
  }
  return all;
}

std::vector<double> times_of_calls(const Look& look) {
  std::vector<double> times(look.calls.size());
  if (!look.timeline.on_gpu) {
    std::ranges::transform(look.timeline.calls, times.begin(),
                           [](const model::TimelineCall& call) { return static_cast<double>(call.length); });
    return times;
  }
  for (const model::TimelineWork& work : look.timeline.work) {
    if (work.call >= 0) times[static_cast<std::size_t>(work.call)] += static_cast<double>(work.length);
  }
  for (std::size_t i = times.size(); i-- > 0;) {  // who calls stands before what it calls
    if (const std::ptrdiff_t parent = look.calls[i].parent; parent >= 0)
      times[static_cast<std::size_t>(parent)] += times[i];
  }
  return times;
}

double elements_of(const model::SeenTensor& tensor) {
  double elements = 1;
  for (const std::int64_t size : tensor.sizes) elements *= static_cast<double>(size);
  return elements;
}

double bytes_of(const Look& look, const model::SeenTensor& tensor) {
  const std::string_view type = look.timeline.names[tensor.type];
  return type.starts_with(sparse_type) ? 0 : elements_of(tensor) * bytes_of_element(type);
}

double copy_time(const Look& look, double bytes) {
  const auto speed = static_cast<double>(look.timeline.speed.bytes_per_second);
  return speed > 0 ? bytes * 1e9 / speed : 0;
}

double needed_time(const Look& look, std::size_t call) {
  double bytes = 0;
  std::set<std::int64_t> seen;  // what is written in place stands among the inputs and the outputs
  for (const auto* uses : {&look.timeline.calls[call].inputs, &look.timeline.calls[call].outputs}) {
    for (const model::TensorUse& use : *uses) {
      const model::SeenTensor* tensor = look.tensor(use);
      if (tensor != nullptr && seen.insert(tensor->storage).second) bytes += bytes_of(look, *tensor);
    }
  }
  const auto speed = static_cast<double>(look.timeline.speed.flops_per_second);
  const double computing = speed > 0 ? flops_of(look, call) * 1e9 / speed : 0;
  return std::max(copy_time(look, bytes), computing);
}

}  // namespace tbci::detect
