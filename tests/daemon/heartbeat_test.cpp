#include "daemon/heartbeat.hpp"

#include <algorithm>
#include <atomic>

#include "tests/catch.hpp"
#include "tests/fakes/fake_notifier.hpp"

namespace tbci::heartbeat_test {

using namespace tbci::test;
using namespace std::chrono_literals;

namespace {

std::ptrdiff_t watchdogs(const FakeNotifier& notifier) {
  const auto told = notifier.told();
  return std::count(told.begin(), told.end(), "watchdog");
}

bool eventually(const std::function<bool()>& condition) {
  for (int i = 0; i < 500 && !condition(); ++i) std::this_thread::sleep_for(10ms);
  return condition();
}

}  // namespace

TEST_CASE("Heartbeat: answers the watchdog while the work goes on, and falls silent when it stands still",
          "[heartbeat]") {
  FakeNotifier notifier(5ms);
  std::atomic<bool> stalled{false};
  const SystemClock clock;
  const daemon::Heartbeat heartbeat(notifier, clock,
                                    {.trouble = [&] { return std::string(stalled ? "the work has stood still" : ""); },
                                     .status = [] { return std::string("measuring"); }});
  REQUIRE(eventually([&] { return watchdogs(notifier) >= 3; }));
  stalled = true;
  const auto is_told = [&] {
    const auto told = notifier.told();
    return std::find(told.begin(), told.end(), "status: the work has stood still") != told.end();
  };
  REQUIRE(eventually(is_told));
  const auto silent_since = watchdogs(notifier);
  std::this_thread::sleep_for(100ms);
  CHECK(watchdogs(notifier) == silent_since);
}

}  // namespace tbci::heartbeat_test
