// Reports over time: which of them a culprit belongs to, what the latest night says, when they are over.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/subject_context.hpp"
#include "storage/model/decision.hpp"
#include "storage/model/report.hpp"

namespace tbci::pipeline {

/// The subject's report about these suspects: of the same set, else the only one with any of them, where its set
/// contains them or is contained in them. Otherwise none: which one it is cannot be told.
Result<std::optional<model::Report>> report_about(const storage::Stores& stores, const std::string& subject,
                                                  const std::vector<std::string>& suspects);

/// The smaller of two sets of suspects that are of the same culprit; else the second. An empty one knows nothing.
std::vector<std::string> narrower(const std::vector<std::string>& known, const std::vector<std::string>& now);

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

/// The open reports about regressions of earlier nights say what this night measured of them.
Status tell_standing(SubjectContext& context, const model::Night& night);

}  // namespace tbci::pipeline
