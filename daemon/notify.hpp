// What the service manager is told: ready, stopping, still alive.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace tbci::daemon {

class Notifier {
 public:
  virtual ~Notifier() = default;
  virtual void ready() = 0;
  virtual void stopping() = 0;
  /// Still alive. Owed more often than every `watchdog_interval()`.
  virtual void watchdog() = 0;
  /// One line for `systemctl status`.
  virtual void status(std::string_view text) = 0;
  /// How often to call `watchdog()`: half of what the service manager allows. Nothing: nobody asks for it.
  virtual std::optional<std::chrono::milliseconds> watchdog_interval() const = 0;
};

/// systemd's, through libsystemd. Where we were not started by it, everything does nothing. Thread-safe.
class SystemdNotifier final : public Notifier {
 public:
  void ready() override;
  void stopping() override;
  void watchdog() override;
  void status(std::string_view text) override;
  std::optional<std::chrono::milliseconds> watchdog_interval() const override;
};

}  // namespace tbci::daemon
