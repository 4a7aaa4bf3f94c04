// What the calls of a calibrated case take in a batch that was not recorded. Pure; safe from any thread.
#pragma once

#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "detect/predict/call_units.hpp"
#include "detect/predict/cost_curve.hpp"
#include "storage/model/step_split.hpp"

namespace tbci::detect {

/// Those in calls; the launch is of a kernel.
inline constexpr std::array<model::OverheadKind, 4> overheads_in_calls = {
    model::OverheadKind::between_operators, model::OverheadKind::before_kernel, model::OverheadKind::between_kernels,
    model::OverheadKind::after_kernel};
using CallOverheads = std::array<double, overheads_in_calls.size()>;

/// Nanoseconds of one unit in the batch that is asked for.
struct PredictedUnit {
  double kernel = 0, launch = 0, page_faults = 0, waiting = 0;
  double unknown = 0;  ///< of one that the reference alone has: what it took there
  CallOverheads overheads{};
  bool sizes_follow_data = false;
  double sum() const;
};

/// Learns from the recordings, which must outlive it, as must the units of them.
class UnitCosts {
 public:
  UnitCosts(const std::vector<BatchRecording>& recordings, std::size_t reference, const std::vector<CallUnit>& units,
            int batch);

  PredictedUnit predict(const CallUnit& unit) const;
  /// Before a call of this operator on the iterating thread: the mean over its calls. Without a name: at the end.
  double gap(const std::string& name) const { return gaps_.at(name); }

 private:
  struct Sum {
    double calls = 0, nanoseconds = 0;
  };
  using Sums = std::vector<Sum>;                            // of each batch
  using OverheadKey = std::pair<std::string, std::size_t>;  // an operator, and a number of overheads_in_calls

  const RecordedIteration& reference() const { return recordings_[reference_].recorded; }
  const std::string& name_of(const CallUnit& unit) const { return reference().calls[unit.call].name; }
  double batch_of(std::size_t recording) const { return recordings_[recording].batch; }
  CallOverheads overheads_of(const CallUnit& unit, const UnitTime& time) const;
  double mean_at_batch(const Sums& sums) const;
  double time_of_collective(const CallUnit& unit, const UnitWork& work) const;
  void learn_overheads(const std::vector<CallUnit>& units);
  void learn_gaps(const std::vector<CallUnit>& units);

  const std::vector<BatchRecording>& recordings_;
  std::size_t reference_;
  double batch_;
  double launch_ = 0, fault_price_ = 0;
  std::map<std::size_t, bool> has_kernel_;  // by the model's own call
  std::map<OverheadKey, double> overheads_;
  std::map<std::string, double> gaps_;
};

}  // namespace tbci::detect
