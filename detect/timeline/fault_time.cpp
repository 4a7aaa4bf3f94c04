#include "detect/timeline/fault_time.hpp"

#include <algorithm>
#include <cmath>

namespace tbci::detect {

namespace {

double whole(const model::PageCost& cost) {
  return static_cast<double>(cost.fault_nanoseconds) + static_cast<double>(cost.write_nanoseconds);
}

}  // namespace

double time_of_faults(const model::MachineSpeed& speed, const FaultingCall& call) {
  if (call.faults <= 0) return 0;
  const auto writing = static_cast<double>(speed.writing.fault_nanoseconds);
  const auto computing = static_cast<double>(speed.computing.fault_nanoseconds);
  const double least = whole(speed.writing), most = whole(speed.computing);
  const double place =
      most > least && computing > 0 ? std::clamp((call.own / call.faults - least) / (most - least), 0.0, 1.0) : 0;
  return std::min(call.own, call.faults * std::lerp(writing, computing, place));
}

}  // namespace tbci::detect
