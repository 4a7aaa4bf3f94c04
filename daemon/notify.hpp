// Notifications to the service manager: ready, stopping, alive.
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
  /// Reports that the service is alive. Call it at least once per `watchdog_interval()`.
  virtual void watchdog() = 0;
  /// The start takes longer: the service manager waits this long from now on.
  virtual void extend_start(std::chrono::seconds wait) = 0;
  /// One line for `systemctl status`.
  virtual void status(std::string_view text) = 0;
  /// How often to call `watchdog()`: half of the service manager's limit. nullopt: watchdog disabled.
  virtual std::optional<std::chrono::milliseconds> watchdog_interval() const = 0;
};

/// Notifies systemd through libsystemd. Does nothing if systemd did not start this process. Thread-safe.
class SystemdNotifier final : public Notifier {
 public:
  void ready() override;
  void stopping() override;
  void watchdog() override;
  void extend_start(std::chrono::seconds wait) override;
  void status(std::string_view text) override;
  std::optional<std::chrono::milliseconds> watchdog_interval() const override;
};

}  // namespace tbci::daemon
