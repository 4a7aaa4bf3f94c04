// Which batch keeps a model's device busiest: section 2.2 of the TorchBench paper. Pure, over whoever measures.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "storage/model/measurement.hpp"

namespace tbci::runner {

/// How one batch size fared.
struct BatchPoint {
  int batch = 0;
  model::Outcome outcome = model::Outcome::done;
  std::string message;            ///< why, where the outcome is not `done`
  double samples_per_second = 0;  ///< where it is
};

/// Measures at a batch. A model that fails is a point; an error ends the search with it.
using MeasureBatch = std::function<Result<BatchPoint>(int batch)>;

struct BatchSearchSettings {
  int largest = 65536;       ///< no batch above it is tried
  double least_gain = 0.05;  ///< a throughput has risen when it is above the best by this fraction
  int patience = 2;          ///< so many doublings in a row without a rise end the search
};

/// What ended a search.
enum class BatchEnd {
  throughput,  ///< it stopped rising
  memory,      ///< the next batch did not fit
  time,        ///< the next batch took longer than a process may
  largest,     ///< the largest batch was reached, and was the best
  failed,      ///< the next batch failed in another way: such a model cannot have it
};
std::string_view to_string(BatchEnd end);
Result<BatchEnd> batch_end_from(std::string_view text);

struct BatchAnswer {
  int batch = 0;  ///< the smallest of those with the best throughput; 0: not even one sample could be measured
  BatchEnd end{};
  std::string why;                 ///< the failure's message, where a failure ended it
  std::vector<BatchPoint> points;  ///< in the order that they were measured in
};

/// Starts with one and doubles. A batch that is better by less than `least_gain` is not worth its memory: noise alone
/// gives as much.
Result<BatchAnswer> search_batch(const MeasureBatch& measure, const BatchSearchSettings& settings);

}  // namespace tbci::runner
