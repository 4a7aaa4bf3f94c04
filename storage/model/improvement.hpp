// Series that became better, and what ended regressions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "storage/model/night.hpp"

namespace tbci::model {

/// How far the search for the commit is.
enum class ImprovementState { confirmed, attributed, unattributed };
std::string_view to_string(ImprovementState state);
Result<ImprovementState> improvement_state_from(std::string_view text);

/// A confirmed improvement of one series. It is kept and shown, and never reported.
struct Improvement {
  std::int64_t id = 0;
  std::int64_t night_id = 0;
  Finding finding;        ///< its verdict is `improvement`
  std::string old_build;  ///< name of the nightly that it was confirmed against
  ImprovementState state = ImprovementState::confirmed;
  std::optional<std::int64_t> bisection_id = {};
  std::vector<std::string> suspects = {};  ///< commits: one did it; several cannot be told apart
  std::string reason = {};                 ///< why there is no such commit
};

/// The failed tries to search for a night's improvements.
struct ImprovementTry {
  std::int64_t night_id = 0;
  int tries = 0;
  TimePoint next{};
  std::string reason = {};  ///< one line: why the last one failed
  /// What the store held when the running try began (TryStore::progress_mark); nullopt: none runs.
  std::optional<std::string> mark = {};
};

/// What ended a regression that recovered.
struct Ending {
  std::int64_t regression_id = 0;
  std::int64_t night_id = 0;                        ///< the first night that measured that it is gone
  std::int64_t since_id = 0;                        ///< the last night before it that still had it
  std::optional<std::int64_t> improvement_id = {};  ///< of its series, confirmed since then
  std::string revert_commit = {};                   ///< says that it reverts a suspect; empty: none
  bool told = false;                                ///< the report says so
};

}  // namespace tbci::model
