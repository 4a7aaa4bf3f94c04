// Nightlies that were not measured when it was their turn, and why.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/result.hpp"

namespace tbci::model {

enum class SkipCause {
  incomplete,  ///< nothing of it that this machine can install was there
  yanked,      ///< its publisher took it back before it was checked
  missing,     ///< there was no nightly of that day
  unchecked,   ///< it can be installed, and nobody checked it
  broken,      ///< it could not be installed when a night asked for it as its baseline
  failed,      ///< its own night failed; never stored
  unfinished,  ///< its own night has no verdicts yet; never stored
};
std::string_view to_string(SkipCause cause);
Result<SkipCause> skip_cause_from(std::string_view text);

/// A nightly, or a day without one. The last two causes are what the store reads of nights; it keeps the others.
struct SkippedNightly {
  std::string name;  ///< of the nightly; a day, as `2026-11-18`, where there is none
  SkipCause cause{};
  std::string reason = {};                  ///< one line, for people; may be empty
  TimePoint seen{};                         ///< when this was first seen
  std::optional<TimePoint> arrived = {};    ///< when it could be installed after all
  std::optional<TimePoint> given_up = {};   ///< since when it is skipped
  std::optional<std::string> version = {};  ///< of a day: a version that sorts where the day's would; else the name
};

/// It may still come, and is checked then.
bool is_waited_for(const SkippedNightly& one);
/// It came within the limit, and its night was not begun yet.
bool has_arrived(const SkippedNightly& one);
/// Why it was not measured, in a few words: `never complete: it has no wheel for this Python`.
std::string why_skipped(const SkippedNightly& one);

}  // namespace tbci::model
