#include "daemon/notify.hpp"

#include <fmt/format.h>
#include <systemd/sd-daemon.h>

#include <cstdint>
#include <string>

#include "base/text.hpp"

namespace tbci::daemon {

namespace {

// A failed notification is ignored: the service also works without a service manager.
void notify(const std::string& state) {
  static_cast<void>(::sd_notify(0, state.c_str()));
}

}  // namespace

void SystemdNotifier::ready() {
  notify("READY=1");
}

void SystemdNotifier::stopping() {
  notify("STOPPING=1");
}

void SystemdNotifier::watchdog() {
  notify("WATCHDOG=1");
}

void SystemdNotifier::extend_start(std::chrono::seconds wait) {
  notify(fmt::format("EXTEND_TIMEOUT_USEC={}", std::chrono::microseconds(wait).count()));
}

void SystemdNotifier::status(std::string_view text) {
  // One line, because a newline would begin another assignment.
  notify("STATUS=" + one_line(text));
}

std::optional<std::chrono::milliseconds> SystemdNotifier::watchdog_interval() const {
  std::uint64_t microseconds = 0;
  if (::sd_watchdog_enabled(0, &microseconds) <= 0 || microseconds == 0) return std::nullopt;
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::microseconds(microseconds / 2));
}

}  // namespace tbci::daemon
