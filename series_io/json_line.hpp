// A line of JSON as a record. Pure; safe from any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "series_io/record.hpp"

namespace tbci::series_io {

/// Reads `{"series", "unit", "metric", "nights": [{"build", "samples"}]}` or the same with `"pairs": [[old, new]]`.
/// `unit` is of lines that name none. Other keys are left out, but not what looks like a misspelt one. `NaN`,
/// `Infinity` and `null` among numbers, which many programs write, are impossible values. Nothing is kept of
/// the samples but their medians. Errors (usage) say what is wrong with the line and what to do.
Result<Record> record_from_json(std::string_view line, const std::optional<Unit>& unit, const Limits& limits = {});

}  // namespace tbci::series_io
