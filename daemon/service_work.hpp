// The work of the service: verdicts of new nights first, then the searches of older ones.
#pragma once

#include <stop_token>

#include "base/result.hpp"
#include "daemon/state_dir.hpp"
#include "daemon/work_pulse.hpp"
#include "web/activity.hpp"

namespace tbci::daemon {

struct ServiceParts {
  StateDir& state;
  web::Activity& activity;
  WorkPulse& pulse;
};

/// Runs until a stop is requested, in the thread that calls it: the only one that uses the stores of `state`. An error
/// only where going on is useless (kind damaged); all others are logged, counted and tried again.
Status work_for_ever(const ServiceParts& parts, std::stop_token stop);

}  // namespace tbci::daemon
