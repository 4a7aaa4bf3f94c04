// Which operators changed between two builds. Pure; safe from any thread.
#pragma once

#include <span>

#include "storage/model/profile.hpp"

namespace tbci::detect {

struct OperatorThresholds {
  double least_share = 0.01;  ///< of the old build's iteration: a smaller difference is not worth a line
  double least_errors = 4;    ///< standard errors: a smaller difference may be the spread of the processes
  double scale_floor = 0.01;  ///< of an operator's time: no process repeats itself better
  double least_step = 0.05;   ///< of the old build's iteration: a smaller difference needs no operator to explain it
  double least_part = 0.5;    ///< of the iteration's difference: what the changed operators explain together
};

/// Compares profiles of one case, several processes of each build; neither is empty, all are of the same case
/// (asserts). An operator counts as changed where the difference of the medians over the processes is at least the
/// share above, and beyond the standard error of that difference: sqrt(pi / 2) s sqrt(1/n + 1/m), the large-sample
/// error of a median, with s the scaled median absolute deviation of all values from the median of their build. What
/// lies in no operator is compared with the same bounds under the name model::in_no_operator.
model::OperatorComparison compare_operators(std::span<const model::OperatorProfile> before,
                                            std::span<const model::OperatorProfile> after,
                                            const OperatorThresholds& thresholds = {});

/// Whether the changed operators explain why the iteration takes another time: together they make up `least_part` of
/// its difference, or that is smaller than `least_step`. Where they do not, the spread of the processes hides the
/// operators, which more processes can show, or the difference is spread thinly over all of them.
bool explains_difference(const model::OperatorComparison& comparison, const OperatorThresholds& thresholds = {});

}  // namespace tbci::detect
