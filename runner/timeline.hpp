// Parses the timeline that a worker prints for one case. Pure; accepts hostile input.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "storage/model/timeline.hpp"
#include "storage/model/words.hpp"

namespace tbci::runner {

/// A worker records at most 100000 calls. More than these are refused, before they fill the memory.
inline constexpr std::size_t most_timeline_entries = 400000;
/// Of tensors in all calls together, and of their sizes.
inline constexpr std::size_t most_timeline_numbers = 10000000;

/// Reads the lines of `tbci-worker timeline` one by one. Numbers are what they say: whether they make sense together is
/// for detect::look_into to find out.
class TimelineReader {
 public:
  /// `expected`: the case under the worker's own name for it.
  explicit TimelineReader(model::Case expected, std::size_t most_numbers = most_timeline_numbers);

  /// False from the first line on that violates the protocol, or is an error. Ignores all lines after it.
  bool take(std::string_view line);

  /// What was read. Errors (failed): the worker's own error line, or what violates the protocol.
  Result<model::Timeline> timeline() &&;

 private:
  enum class State { start, greeted, summed, done };
  struct Line;
  std::string read(std::string_view text);
  std::string hello(const Line& line);
  std::string list(const Line& line, const std::string& type);
  std::string entry(const Line& element, const std::string& type);
  std::string sum(const Line& line);

  model::Case expected_;
  State state_ = State::start;
  std::string wrong_;
  std::size_t most_numbers_, numbers_ = 0;
  model::Timeline timeline_;
};

}  // namespace tbci::runner
