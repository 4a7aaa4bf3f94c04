// Which of the points of a history stands for each nightly. Pure; safe from any thread.
#pragma once

#include <string>
#include <vector>

#include "storage/run_store.hpp"

namespace tbci::storage {

/// Whether a point belongs to a history: only screens and confirmations do, as other runs may have used other settings.
/// Confirming processes that took turns have a level of their own (docs/decisions/0027).
bool counts_in_history(const HistoryPoint& point);

/// The point of each nightly that this runner measured, in the order of `points`, where those of one nightly follow
/// each other (as from RunStore::series_history). A nightly's value is that of the run that screened it, of several the
/// last one (the earlier ones were interrupted); where it was never screened, the first one, which is nearest to its
/// night.
std::vector<HistoryPoint> nightly_points(const std::vector<HistoryPoint>& points, const std::string& runner);

}  // namespace tbci::storage
