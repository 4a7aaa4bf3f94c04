// Searches the batch with the highest throughput (section 2.2 of the TorchBench paper). Pure; the caller measures.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "storage/model/measurement.hpp"

namespace tbci::runner {

/// The result of one batch size.
struct BatchPoint {
  int batch = 0;
  model::Outcome outcome = model::Outcome::done;
  std::string message;            ///< why the outcome is not `done`
  double samples_per_second = 0;  ///< if the outcome is `done`
};

/// Measures one batch. A model that fails is a point; an error ends the search with that error.
using MeasureBatch = std::function<Result<BatchPoint>(int batch)>;

struct BatchSearchSettings {
  int largest = 65536;       ///< larger batches are not tried
  double least_gain = 0.05;  ///< throughput counts as a rise only if it exceeds the best by this fraction
  int patience = 2;          ///< this many doublings in a row without a rise end the search
};

/// What ended a search.
enum class BatchEnd {
  throughput,  ///< throughput stopped rising
  memory,      ///< the next batch did not fit
  time,        ///< the next batch took longer than a process may
  largest,     ///< the largest batch was reached, and was the best
  failed,      ///< the next batch failed in another way
};
std::string_view to_string(BatchEnd end);
Result<BatchEnd> batch_end_from(std::string_view text);

struct BatchAnswer {
  int batch = 0;  ///< the smallest with the best throughput; 0: a batch of 1 already failed
  BatchEnd end{};
  std::string why;                 ///< the message of the failure that ended it
  std::vector<BatchPoint> points;  ///< in the order of measurement
};

/// Starts with a batch of 1 and doubles it. A gain of less than `least_gain` does not justify more memory: noise alone
/// can produce it.
Result<BatchAnswer> search_batch(const MeasureBatch& measure, const BatchSearchSettings& settings);

}  // namespace tbci::runner
