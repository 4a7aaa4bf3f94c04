// Which call is in which, and that the timeline makes sense at all. Pure; safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "storage/model/timeline.hpp"

namespace tbci::detect {

/// A call in its place. Numbers are those of model::Timeline::calls.
struct PlacedCall {
  std::ptrdiff_t parent = -1;     ///< the call that made it; below 0: none
  std::ptrdiff_t caller = -1;     ///< the operator that made it, through nodes of the backward pass; below 0: none
  std::ptrdiff_t iteration = -1;  ///< below 0: in none
  std::int64_t self = 0;          ///< nanoseconds without those of the calls that it made
  bool top = false;               ///< an operator that no operator has called: a model's own call
};

/// A timeline that makes sense.
struct Look {
  const model::Timeline& timeline;
  std::vector<PlacedCall> calls;  ///< one for each call of the timeline
  /// The one that iterates: 0, or, where that calls no operator, the one whose calls last longest, without regions and
  /// collectives.
  std::size_t thread = 0;
  std::int64_t whole = 0;             ///< nanoseconds of all iterations together
  std::vector<std::int64_t> outside;  ///< of each iteration: nanoseconds of that thread in no call

  std::string_view name(std::size_t call) const { return timeline.names[timeline.calls[call].name]; }
  /// The tensors that are defined, with their storage, sizes and type.
  const model::SeenTensor* tensor(const model::TensorUse& use) const {
    return use.tensor < 0 ? nullptr : &timeline.tensors[static_cast<std::size_t>(use.tensor)];
  }
};

inline constexpr std::size_t most_calls_looked_at = 1000000;
inline constexpr std::size_t most_iterations_looked_at = 1000;

/// Linear in the number of calls. The timeline must outlive the look. Errors (failed), each in a sentence that names
/// the place: the timeline is cut off, has no iteration, is too long, has a negative length, calls out of order or
/// nested wrongly, or numbers of what is not there.
Result<Look> look_into(const model::Timeline& timeline);

}  // namespace tbci::detect
