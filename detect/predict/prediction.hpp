// What an iteration takes with a batch that was not recorded. Pure; safe from any thread.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "detect/predict/kernel_family.hpp"
#include "detect/predict/recorded_calls.hpp"
#include "storage/model/step_split.hpp"

namespace tbci::detect {

/// What is known of one batch, each of several processes.
struct CalibratedBatch {
  int batch = 0;
  std::vector<RecordedIteration> recordings;
  std::vector<double> times;  ///< nanoseconds of an iteration, of processes that record nothing
};

struct FamilyTime {
  double nanoseconds = 0;  ///< in kernels, without their launch and page faults
  double calls = 0;        ///< a number
};

/// Calls of one operator that only one batch made: how they grow is not known.
struct UnknownCalls {
  std::string name;  ///< hostile text
  double nanoseconds = 0;
};

/// Nanoseconds of one iteration. The parts from `kernels` to `rest` add up to `time`.
struct Prediction {
  int batch = 0;
  std::vector<int> calibrated;     ///< batches, the smallest first
  double beyond = 1;               ///< how many times beyond the nearest of them the batch is; 1: between them
  bool looped = false;             ///< see looped_calls.hpp
  bool sizes_follow_data = false;  ///< some sizes are off a line over the batch: they depend on the data

  double time = 0;
  std::map<KernelFamily, FamilyTime> kernels;
  std::map<model::OverheadKind, double> overheads;
  double page_faults = 0;
  double waiting = 0;  ///< with several lanes: for collectives
  double unknown = 0;  ///< what the operators that are not calibrated took in the nearest batch
  double rest = 0;     ///< an iteration without the recorder less what was recorded; may be below 0

  double may_add = 0;  ///< calls that the batch on the other side makes and the nearest one does not, by that batch
  std::vector<UnknownCalls> unknown_operators;  ///< the longest first
  std::size_t lanes = 1;                        ///< threads that call operators; those of Gloo are one
  double beside = 0;                            ///< calls that are not on the critical path

  double active() const;  ///< in kernels
  double idle() const { return time - active() - unknown; }
};

inline constexpr double far_beyond = 2;      ///< times the nearest calibrated batch: no longer to be relied on
inline constexpr double most_unknown = 0.5;  ///< of an iteration

/// The model of "Building a Performance Model for Deep Learning Recommendation Model Training on GPUs" (2022), on a
/// CPU, where a kernel is an innermost operator:
/// - Kernels: each call has a CostCurve over its work, from the calibrated batches; page faults and what a call that
///   computes one number takes (its launch) come off first.
/// - Overheads, in the paper's five types: the mean over an operator's calls in each batch, as a curve over the batch.
///   An operator that calls no kernel is between operators.
/// - Time: the critical path over the lanes of the nearest calibrated batch, and the rest that recordings do not have.
/// A call that makes other calls in another batch is one kernel with all that it calls. Those of the model's own calls
/// that one batch alone has are `unknown`: they take what they took there.
/// Where calls_follow_batch, it is a loop over the samples, and predict_loop predicts it.
/// `batches`: each once, with a recording and a time at least (asserts). Errors (usage): fewer than two batches. Errors
/// (failed): more than most_unknown is unknown, with the longest such operator.
Result<Prediction> predict_batch(std::vector<CalibratedBatch> batches, int batch);

}  // namespace tbci::detect
