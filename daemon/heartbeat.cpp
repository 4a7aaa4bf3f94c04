#include "daemon/heartbeat.hpp"

#include <algorithm>

#include "base/log.hpp"

namespace tbci::daemon {

Heartbeat::Heartbeat(Notifier& notifier, const Clock& clock, HeartbeatSources sources)
    : notifier_(notifier), clock_(clock), sources_(std::move(sources)), thread_([this](const std::stop_token& stop) {
        using std::chrono::milliseconds;
        constexpr milliseconds longest = std::chrono::seconds(10);
        const milliseconds interval = std::min(notifier_.watchdog_interval().value_or(longest), longest);
        bool in_trouble = false;
        do {
          beat(in_trouble);
        } while (clock_.sleep_for(interval, stop));
      }) {}

void Heartbeat::beat(bool& in_trouble) {
  const std::string trouble = sources_.trouble();
  if (trouble.empty()) {
    notifier_.watchdog();
    notifier_.status(sources_.status());
  } else {
    notifier_.status(trouble);
    if (!in_trouble) log::error("{}: the service manager's watchdog is not answered any more", trouble);
  }
  in_trouble = !trouble.empty();
}

}  // namespace tbci::daemon
