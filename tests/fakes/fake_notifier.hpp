// A notifier that keeps its notifications.
#pragma once

#include <fmt/format.h>

#include <mutex>
#include <string>
#include <vector>

#include "daemon/notify.hpp"

namespace tbci::test {

class FakeNotifier final : public daemon::Notifier {
 public:
  explicit FakeNotifier(std::optional<std::chrono::milliseconds> interval = std::nullopt) : interval_(interval) {}
  void ready() override { keep("ready"); }
  void stopping() override { keep("stopping"); }
  void watchdog() override { keep("watchdog"); }
  void extend_start(std::chrono::seconds wait) override { keep(fmt::format("extend {}", wait.count())); }
  void status(std::string_view text) override { keep("status: " + std::string(text)); }
  std::optional<std::chrono::milliseconds> watchdog_interval() const override { return interval_; }

  std::vector<std::string> told() const {
    const std::lock_guard lock(mutex_);
    return told_;
  }

 private:
  void keep(std::string what) {
    const std::lock_guard lock(mutex_);
    told_.push_back(std::move(what));
  }
  std::optional<std::chrono::milliseconds> interval_;
  mutable std::mutex mutex_;
  std::vector<std::string> told_;
};

}  // namespace tbci::test
