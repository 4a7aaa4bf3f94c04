// What the hints have in common: the model's own calls in order, and what each of them needs at least.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "detect/timeline/hints.hpp"
#include "detect/timeline/look.hpp"

namespace tbci::detect {

/// Collects hints by kind, operator, and the operator within which it is called.
class HintSums {
 public:
  explicit HintSums(const Look& look) : look_(look) {}
  void add(HintKind kind, std::string_view name, double calls, double time, double gain, std::string_view within = {});
  std::vector<Hint> hints(const HintThresholds& thresholds) const;

 private:
  const Look& look_;
  std::map<std::tuple<HintKind, std::string, std::string>, Hint> sums_;
};

/// The model's own calls on the thread that iterates, in order, those of each iteration for itself.
std::vector<std::vector<std::size_t>> top_calls(const Look& look);

/// All calls, the operators' own as well, of all threads in the order in which they begin: who calls before what it
/// calls. On a GPU the backward pass has a thread of its own.
std::vector<std::vector<std::size_t>> calls_of_all_threads(const Look& look);

/// Nanoseconds that a copy of this many bytes takes; 0 if the speed is not known.
double copy_time(const Look& look, double bytes);
/// Of a type as a worker names it: `fp32`, `bf16`, `Long`, `Byte`; 4 for one that no rule knows.
double bytes_of_element(std::string_view type);
/// 0 for a sparse one: what it holds is in other tensors.
double bytes_of(const Look& look, const model::SeenTensor& tensor);
double elements_of(const model::SeenTensor& tensor);
/// Nanoseconds: for the memory that the call reads and writes, or for its floating-point operations, if they take
/// longer.
double needed_time(const Look& look, std::size_t call);

/// Nanoseconds of each call, with those that it makes: of the host, or, on a GPU, of the work that they launch there.
std::vector<double> times_of_calls(const Look& look);

/// Which calls a hint has, so that no other one counts them.
using Claimed = std::vector<bool>;

void find_one_element(const Look& look, Claimed& claimed, HintSums& sums);
void find_same_copy(const Look& look, Claimed& claimed, HintSums& sums);
void find_small_calls(const Look& look, const HintThresholds& thresholds, Claimed& claimed, HintSums& sums);
void find_short_calls(const Look& look, const HintThresholds& thresholds, Claimed& claimed, HintSums& sums);
void find_page_faults(const Look& look, HintSums& sums);
void find_device_waits(const Look& look, const Claimed& claimed, HintSums& sums);

}  // namespace tbci::detect
