// What became better, and what ended regressions: read once, then shown as a page, as JSON, or in the terminal.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "storage/model/bisection.hpp"
#include "storage/model/improvement.hpp"

namespace tbci::storage {
class Database;
}

namespace tbci::web::queries {

struct ImprovementView {
  model::Improvement improvement;
  std::string night;
  std::vector<model::Commit> suspects;  ///< in the improvement's order; only the id if no more is known
  std::optional<model::Bisection> bisection;
};

/// What ended a regression that recovered.
struct EndingView {
  std::string night;                           ///< the first that measured that it is gone
  std::optional<std::int64_t> improvement_id;  ///< of its series
  std::vector<model::Commit> commits;          ///< that the search for that improvement found
  std::optional<model::Commit> revert;         ///< says that it reverts the culprit
};

/// By id.
Result<std::vector<ImprovementView>> improvements_of_night(storage::Database& database, const model::Night& night);
/// Nothing for a regression that has not recovered, or that an earlier tbci saw recover without keeping why.
Result<std::optional<EndingView>> ending_of(storage::Database& database, const std::string& subject,
                                            const model::Regression& regression);
/// How many of the subject wait for the search for their commit.
Result<int> waiting_improvements(storage::Database& database, const std::string& subject);
/// The commits as the store knows them, in this order.
Result<std::vector<model::Commit>> commits_of(storage::Database& database, const std::string& subject,
                                              const std::vector<std::string>& ids);

/// What an end is, as a sentence without a full stop: `gone since 2026-01-09, by commit 0123456789ab`.
std::string ending_text(const EndingView& ending);
/// What is known of an improvement's commit: `0123456789ab`, `one of 3 commits`, or why there is none.
std::string commit_text(const model::Improvement& improvement);

}  // namespace tbci::web::queries
