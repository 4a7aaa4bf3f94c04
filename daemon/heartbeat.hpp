// Reports to the service manager that the work goes on.
#pragma once

#include <functional>
#include <string>
#include <thread>

#include "base/clock.hpp"
#include "daemon/notify.hpp"

namespace tbci::daemon {

/// What the heartbeat asks. Both are called from its thread.
struct HeartbeatSources {
  std::function<std::string()> trouble;  ///< empty while the work goes on
  std::function<std::string()> status;   ///< one line for people
};

/// A thread of its own, so that neither a page nor the work delays it. It keeps the watchdog quiet as long as there is
/// no trouble; from then on the service manager ends and restarts the service.
class Heartbeat {
 public:
  /// The notifier and the clock must outlive it.
  Heartbeat(Notifier& notifier, const Clock& clock, HeartbeatSources sources);

 private:
  void beat(bool& in_trouble);

  Notifier& notifier_;
  const Clock& clock_;
  HeartbeatSources sources_;
  std::jthread thread_;  // last: it uses the others
};

}  // namespace tbci::daemon
