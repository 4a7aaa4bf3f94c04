// What a person may decide about a regression or a series. Each decision is kept with who, when and why.
#pragma once

#include <cstdint>
#include <string>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "pipeline/night/report_life.hpp"
#include "storage/model/decision.hpp"
#include "storage/stores.hpp"

namespace tbci::pipeline {

/// Who decides, when, and why. Errors (usage) where the reason is empty.
struct DecisionBy {
  std::string person;
  std::string reason;
  TimePoint now{};
  Telling telling = Telling::by_note;  ///< of the end of the report, or that it begins again
};

/// An open regression becomes the new level of its series, which later nights already compare with; of creep only what
/// comes on top counts (pipeline/night/known_rise.hpp). With `anchor` what had crept until then is accepted as well,
/// for this series alone.
Status accept_regression(storage::Stores& stores, std::int64_t id, const DecisionBy& by, bool anchor);
/// A person says that an open regression is not one. The history of its series starts again at its night nevertheless,
/// or a step that is real would be found once more.
Status dismiss_regression(storage::Stores& stores, std::int64_t id, const DecisionBy& by);
/// Opens a closed regression again.
Status reopen_regression(storage::Stores& stores, std::int64_t id, const DecisionBy& by);
/// The culprit of the open regressions of a report is searched again, with measurements of its own: each of their
/// nights goes back to its search. Those whose night is not over are searched anyway. How many go back.
Result<int> search_again(storage::Stores& stores, std::int64_t report_id);
/// Until then regressions of the series are kept, and neither searched nor reported. Error (usage) with the nearest
/// name where other benchmarks of the subject were measured and this one never was.
Status mute_series(storage::Stores& stores, const std::string& subject, const model::Series& series, TimePoint until,
                   const DecisionBy& by);

}  // namespace tbci::pipeline
