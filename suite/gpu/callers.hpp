// Who launched the GPU's work: for a profile of its operators.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace tbci::suite {

// Nanoseconds of the GPU by caller: of kernels, memsets and copies, each of them whole, also where some overlap.
using TimesByCaller = std::unordered_map<std::uint64_t, std::int64_t>;

// A piece of the GPU's work, by the clock of its records.
struct CalledWork {
  bool movement = false;  // a copy between the CPU and the GPU
  std::int64_t begin = 0, end = 0;
  std::uint64_t caller = 0;  // 0: nobody
  std::uint32_t stream = 0;
};

// While it lives, CUPTI notes which caller had entered last on the thread that launches a piece of work.
class CallerTrace {
 public:
  virtual ~CallerTrace() = default;

  // Empty if CUPTI records; else nothing else may be called.
  virtual std::string why_not() const = 0;

  // On any thread, one inside the other. No caller is 0.
  virtual void enter(std::uint64_t who) = 0;
  virtual void leave() = 0;

  // Of all work so far, which the GPU has finished; under 0 what nobody launched. False, and why_not says why, if
  // records were lost.
  virtual bool take(TimesByCaller& times) = 0;
  // The same piece by piece, in any order.
  virtual bool take(std::vector<CalledWork>& work) = 0;

  // The clock of the records now, in nanoseconds. Nothing, and why_not says why, if it cannot be read.
  virtual std::optional<std::int64_t> now() = 0;
};

std::unique_ptr<CallerTrace> trace_callers();

}  // namespace tbci::suite
