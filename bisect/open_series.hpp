// The series of a bisection with the state of their searches: what is still in doubt, and what would be built next.
// Pure; safe from any thread.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "bisect/build_scheduler.hpp"
#include "bisect/series_search.hpp"

namespace tbci::bisect {

/// A series, its search, and what is still to report of it.
struct OpenSeries {
  std::size_t answer = 0;  ///< index of its answer
  SeriesSearch search;
  NextAction next;
  bool finished = false;
  std::set<std::size_t> unreported;  ///< classes that were measured since they were last reported
};

/// The steps that a build would narrow down; none of a series that is finished or wants to be measured first.
std::vector<OpenStep> open_steps_of(const OpenSeries& one);
std::vector<OpenStep> open_steps_of(std::span<const OpenSeries> all);

/// The unfinished series whose step is largest in units of its noise; null where all are finished.
OpenSeries* clearest(std::span<OpenSeries> all);

/// Whether the class lies between two that a step lies between.
bool is_in_doubt(const OpenSeries& one, std::size_t at);
/// The commits that may still be the culprit of some series.
std::size_t commits_in_doubt(std::span<const OpenSeries> all);

/// The best class to measure next among those inside the brackets that are built already, for another series.
std::optional<std::size_t> built_class_inside(const OpenSeries& one, const std::function<bool(std::size_t)>& is_built);

/// Whether the located steps leave much of the expected change between the ends unexplained (both as detect::effect has
/// it): more than 0.3 of it, and more than `least`. A large second step may look like an outlier of an end.
bool explains_too_little(const OpenSeries& one, double expected, double least);

}  // namespace tbci::bisect
