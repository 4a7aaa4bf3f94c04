// Internal to storage: a finding and a series as columns.
#pragma once

#include "storage/model/night.hpp"
#include "storage/query.hpp"

namespace tbci::storage {

/// The series as text, which must read back to the same: a benchmark with a slash in its name is refused here, where
/// its row could still be left out.
Result<std::string> series_column(const model::Series& series);
Result<std::vector<std::string>> series_columns(const std::vector<model::Series>& series);

inline constexpr const char* finding_columns =
    "series, verdict, before_value, after_value, change, low, high, pairs, reason";
/// Reads and binds them in that order.
model::Finding read_finding(Row& row);
void bind_finding(Query& query, const std::string& series, const model::Finding& finding);

}  // namespace tbci::storage
