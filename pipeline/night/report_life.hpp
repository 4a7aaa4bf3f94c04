// When a report is over, and when it begins again.
#pragma once

#include <cstdint>
#include <vector>

#include "storage/model/decision.hpp"
#include "storage/stores.hpp"

namespace tbci::pipeline {

/// Whether any of them is open.
bool is_any_open(const std::vector<model::Regression>& regressions);

/// The decision that gave each of those that persons settled its standing.
Result<std::vector<model::Decision>> decisions_of(const storage::Stores& stores,
                                                  const std::vector<model::Regression>& regressions);

/// Whether people read of it in a comment. What a person did on the issue itself, everybody sees there.
enum class Telling { by_note, quiet };

/// After a person's decision about one of its regressions: the report is over where none of them is open, and open
/// where one is; with a note that says so.
Status settle_report(storage::Stores& stores, std::int64_t report_id, const model::Decision& decision, Telling telling);

}  // namespace tbci::pipeline
