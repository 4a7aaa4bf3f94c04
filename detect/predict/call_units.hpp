// The calls of one case in all batches that it was calibrated with: the same call is one unit. Pure; safe from any
// thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "detect/predict/kernel_family.hpp"
#include "detect/predict/recorded_calls.hpp"

namespace tbci::detect {

/// One batch: its recording, with quiet times.
struct BatchRecording {
  int batch = 0;
  RecordedIteration recorded;
};

/// A call with those that it makes, or without them where each batch makes the same ones: those are units then.
struct CallUnit {
  std::size_t call = 0;                                 ///< in the reference
  std::size_t top = 0;                                  ///< the model's own call that it is in: in the reference
  bool whole = false;                                   ///< with all that it calls
  bool kernel = false;                                  ///< by half of the batches at least; whole: or something in it
  std::vector<std::optional<std::size_t>> places = {};  ///< in the recording of each batch

  std::size_t batches() const;  ///< that have it
};

/// `reference`: a number of `recordings`. The units are in the order of its calls.
std::vector<CallUnit> units_of(const std::vector<BatchRecording>& recordings, std::size_t reference);

/// Nanoseconds, and a number of faults.
struct UnitTime {
  double own = 0, waited = 0, faults = 0;
  OwnTime split;
};
/// In a recording, at the unit's place there.
UnitTime time_of_unit(const CallUnit& unit, const RecordedIteration& recorded, std::size_t place);

/// How much work the unit has, by batch. Of operators without a formula, and of those whose sizes do not grow with the
/// batch although they may have more to do (a sparse tensor has the sizes of a dense one), it is the batch.
struct UnitWork {
  std::vector<std::optional<double>> amounts;  ///< of each recording that has it
  double wanted = 0;                           ///< of the batch that is asked for
  bool by_sizes = false;
  bool follows_data = false;  ///< a size is off a line over the batch: it depends on the data
};
/// Each size of the batch that is asked for is on the straight line between those of the batches around it.
UnitWork work_of_unit(const CallUnit& unit, const std::vector<BatchRecording>& recordings, int batch);

}  // namespace tbci::detect
