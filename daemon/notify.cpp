#include "daemon/notify.hpp"

#include <systemd/sd-daemon.h>

#include <cstdint>
#include <string>

#include "base/text.hpp"

namespace tbci::daemon {

namespace {

// A failure to tell is none of ours: the service works without being watched.
void tell(const std::string& state) {
  static_cast<void>(::sd_notify(0, state.c_str()));
}

}  // namespace

void SystemdNotifier::ready() {
  tell("READY=1");
}

void SystemdNotifier::stopping() {
  tell("STOPPING=1");
}

void SystemdNotifier::watchdog() {
  tell("WATCHDOG=1");
}

void SystemdNotifier::status(std::string_view text) {
  // One line: a newline would begin another assignment.
  tell("STATUS=" + one_line(text));
}

std::optional<std::chrono::milliseconds> SystemdNotifier::watchdog_interval() const {
  std::uint64_t microseconds = 0;
  if (::sd_watchdog_enabled(0, &microseconds) <= 0 || microseconds == 0) return std::nullopt;
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::microseconds(microseconds / 2));
}

}  // namespace tbci::daemon
