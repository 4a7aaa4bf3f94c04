// The options of a miniature.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace tbci::miniature {

struct Fault {
  std::string kind;             ///< such as `embedding-bag-bounds`
  std::optional<int> position;  ///< 1-based in its day; without one it is drawn from the seed
  /// 1 slows the benchmark that is hit most by about 20 to 30%. Of a fault that makes it fail: the part of the
  /// processes that fail.
  double strength = 1;
  std::optional<int> day = {};  ///< 1-based; without one: that of Options
};

/// A commit that takes a fault back.
struct Revert {
  std::string kind;  ///< of the fault
  int day = 0;       ///< 1-based, behind that of the fault; its position is drawn
};

struct Options {
  std::uint64_t seed = 1;
  bool gpu = false;  ///< the kernels are those of CUDA
  int days = 3;
  int commits = 70;                          ///< of the last day
  std::optional<int> fault_day;              ///< 1-based, of faults that name none; the last day by default
  std::optional<std::vector<Fault>> faults;  ///< nullopt: one default_fault()
  std::vector<Revert> reverts;
  /// Positions in `fault_day` that do not build. Nullopt: two are drawn where that day is long enough.
  std::optional<std::vector<int>> unbuildable;
  /// No culprit builds, nor the commit after it: they cannot be told apart.
  bool unbuildable_beside_culprit = false;
};

/// All kinds of faults, in alphabetical order.
const std::vector<std::string>& fault_kinds();

/// Those that work on a GPU: they neither read values where they lie, nor is their cause a library of the CPU.
const std::vector<std::string>& gpu_fault_kinds();

/// The kind of the fault where none is asked for.
const char* default_fault(const Options& options);

/// The day of a fault.
int day_of(const Fault& fault, const Options& options);

/// Reads `KIND[@[DAY:]POSITION][*STRENGTH]`; behind `DAY:` the position may be left out. Errors are of kind usage.
Result<Fault> parse_fault(std::string_view text);
/// Reads `KIND@DAY`. Errors are of kind usage.
Result<Revert> parse_revert(std::string_view text);

/// Fails (usage) where the options cannot be met, whatever the seed.
Status check(const Options& options);

}  // namespace tbci::miniature
