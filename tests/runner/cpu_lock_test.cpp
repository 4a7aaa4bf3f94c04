#include "runner/cpu_lock.hpp"

#include <atomic>
#include <thread>

#include "tests/catch.hpp"
#include "tests/fakes/manual_clock.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::cpu_lock_test {

using namespace tbci::runner;
using namespace std::chrono_literals;

namespace {

const SystemClock clock;

// Two locks of one process exclude each other like those of two: a lock belongs to the open file.
CpuLock taken(const CpuLockSettings& settings) {
  auto lock = CpuLock::take(settings, clock, {});
  INFO((lock ? std::string() : lock.error().message));
  REQUIRE(lock);
  return std::move(*lock);
}

}  // namespace

TEST_CASE("CPU locks: those without a CPU in common do not wait for each other", "[cpu_lock]") {
  const test::TemporaryDirectory folder;
  const CpuLock one = taken({.folder = folder.path(), .cpus = {0, 1}});
  const CpuLock other = taken({.folder = folder.path(), .cpus = {2, 3}});
}

TEST_CASE("CPU locks: one with a CPU in common waits, says for whom, and gets it when the other is done",
          "[cpu_lock]") {
  const test::TemporaryDirectory folder;
  auto one = std::make_unique<CpuLock>(taken({.folder = folder.path(), .cpus = {0, 1}}));
  std::atomic<bool> waits{false}, has_it{false};
  std::string told;
  std::jthread other([&] {
    const auto lock = CpuLock::take({.folder = folder.path(),
                                     .cpus = {3, 1},
                                     .on_wait =
                                         [&](const std::string& text) {
                                           told = text;
                                           waits = true;
                                         }},
                                    clock, {});
    has_it = lock.has_value();
  });
  while (!waits) std::this_thread::sleep_for(1ms);
  CHECK_FALSE(has_it);
  one.reset();
  other.join();
  CHECK(has_it);
  CHECK(told.find("waiting for another tbci (pid ") != std::string::npos);
  CHECK(told.find("which measures on CPU 1") != std::string::npos);
}

TEST_CASE("CPU locks: two that measure again and again take turns", "[cpu_lock]") {
  const test::TemporaryDirectory folder;
  std::atomic<int> running{0}, together{0};
  std::vector<char> order;
  const auto measure = [&](char name) {
    for (int i = 0; i < 6; ++i) {
      const CpuLock lock = taken({.folder = folder.path(), .cpus = {0}});
      if (++running > 1) ++together;
      order.push_back(name);  // under the lock of the CPU
      std::this_thread::sleep_for(60ms);
      --running;
    }
  };
  {
    const std::jthread a([&] { measure('a'); });
    const std::jthread b([&] { measure('b'); });
  }
  CHECK(together == 0);
  int changes = 0;
  for (std::size_t i = 1; i < order.size(); ++i) changes += order[i] != order[i - 1] ? 1 : 0;
  CHECK(changes >= 9);  // of 11: the first may come twice before the other has begun to wait
}

TEST_CASE("CPU locks: a wait ends with a stop, and with an error after its limit", "[cpu_lock]") {
  const test::TemporaryDirectory folder;
  const CpuLock one = taken({.folder = folder.path(), .cpus = {0}});
  const test::ManualClock manual;
  const TimePoint begun = manual.now();
  const auto late = CpuLock::take({.folder = folder.path(), .cpus = {0}, .longest_wait = 10min}, manual, {});
  REQUIRE_FALSE(late);
  CHECK(late.error().kind == ErrorKind::transient);
  CHECK(manual.now() - begun >= 10min);
  CHECK(manual.now() - begun < 11min);
  std::stop_source stop;
  stop.request_stop();
  const auto stopped = CpuLock::take({.folder = folder.path(), .cpus = {0}}, clock, stop.get_token());
  REQUIRE_FALSE(stopped);
  CHECK(stopped.error().kind == ErrorKind::interrupted);
}

TEST_CASE("CPU locks: a folder that cannot be used is the machine's fault, and a link is not followed", "[cpu_lock]") {
  const test::TemporaryDirectory folder;
  CHECK(CpuLock::take({.folder = folder / "missing", .cpus = {0}}, clock, {}).error().kind == ErrorKind::machine);
  std::filesystem::create_symlink("/dev/null", folder / "tbci-cpu-0.queue");
  CHECK(CpuLock::take({.folder = folder.path(), .cpus = {0}}, clock, {}).error().kind == ErrorKind::machine);
}

}  // namespace tbci::cpu_lock_test
