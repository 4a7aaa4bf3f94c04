// One series over the nights: read from the database once, then shown in the terminal, as a page, or as JSON.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "detect/change_points.hpp"
#include "storage/model/improvement.hpp"
#include "storage/model/measurement.hpp"
#include "storage/model/night.hpp"

namespace tbci::storage {
class Database;
}

namespace tbci::web::queries {

/// The values of one nightly.
struct HistoryNight {
  std::string name;
  TimePoint measured{};            ///< when its run began
  double value = 0;                ///< median over its processes, in the metric's unit
  double lowest = 0, highest = 0;  ///< of them
  int processes = 0;
  std::optional<model::Finding> finding;               ///< of the confirmation, where there was one, else of the screen
  std::optional<model::Regression> regression;         ///< that this night brought
  std::optional<model::Improvement> improvement = {};  ///< the same, where it was kept
  std::string ended = {};  ///< which regression was gone on this night first, and what ended it; empty: none
  /// How the machine changed since the night before, as a sentence; the verdict's reason if only that says so. Empty:
  /// it did not.
  std::string environment_change;
};

/// Nights between two change points.
struct SeriesLevel {
  std::size_t first = 0, last = 0;  ///< of `nights`, both included
  double value = 0;                 ///< median of the nights
};

struct HistoryView {
  std::string subject;
  model::Series series;
  std::string runner;                              ///< the machine that measured all of it; empty: nothing was measured
  std::vector<std::string> other_runners;          ///< that also measured the series
  std::vector<HistoryNight> nights;                ///< oldest first; without nights that have no value
  std::size_t earlier = 0;                         ///< number of nights that are older than those shown
  std::vector<detect::ChangePoint> change_points;  ///< `night` counts in `nights`
  std::vector<SeriesLevel> levels;                 ///< one more than there are change points; none without nights
};

struct HistoryChoice {
  std::string subject;
  model::Series series;
  std::string runner;  ///< empty: the one that measured last
  int nights = 365;    ///< the newest; change points are those of the whole history, whatever is shown
};

/// The largest number of nights that is read.
inline constexpr int most_history_nights = 5000;

/// A nightly's value is that of the run that screened it, the last one where the machine changed meanwhile; where it
/// was never screened, that of the next night's screen, for which it was the baseline. Errors are the database's own; a
/// series that was never measured has no nights.
Result<HistoryView> history_view(storage::Database& database, const HistoryChoice& choice,
                                 const detect::ChangePointOptions& options = {});

/// The cases of the subject that were measured, by benchmark.
Result<std::vector<model::Case>> measured_cases(storage::Database& database, const std::string& subject);

}  // namespace tbci::web::queries
