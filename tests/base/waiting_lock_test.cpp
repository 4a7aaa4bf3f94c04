#include "base/waiting_lock.hpp"

#include <optional>

#include "tests/catch.hpp"
#include "tests/fakes/manual_clock.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::waiting_lock_test {

namespace {

/// Gives the lock back while somebody sleeps for the third time.
class ReleasingClock final : public Clock {
 public:
  explicit ReleasingClock(std::optional<FileLock>& held) : held_(held) {}
  TimePoint now() const override { return {}; }
  bool sleep_for(std::chrono::milliseconds, std::stop_token) const override {
    if (++sleeps == 3) held_.reset();
    return true;
  }
  mutable int sleeps = 0;

 private:
  std::optional<FileLock>& held_;
};

}  // namespace

TEST_CASE("wait_for_lock: waits until the other holder is gone", "[file]") {
  test::TemporaryDirectory folder;
  std::optional<FileLock> held = std::move(FileLock::acquire(folder / "lock")).value();
  const ReleasingClock clock(held);
  CHECK(wait_for_lock(folder / "lock", "the lock", clock, {}));
  CHECK(clock.sleeps == 3);
}

TEST_CASE("wait_for_lock: a stop ends the waiting, and the error says for what", "[file]") {
  test::TemporaryDirectory folder;
  const auto held = FileLock::acquire(folder / "lock");
  std::stop_source source;
  source.request_stop();
  const auto lock = wait_for_lock(folder / "lock", "the mirror", test::ManualClock(), source.get_token());
  REQUIRE_FALSE(lock);
  CHECK(lock.error().kind == ErrorKind::interrupted);
  CHECK(lock.error().message == "waiting for the mirror: stopped");
}

TEST_CASE("wait_for_lock: what can be no lock is not waited for", "[file]") {
  test::TemporaryDirectory folder;
  REQUIRE(write_file_atomically(folder / "file", ""));
  const test::ManualClock clock;
  const auto before = clock.now();
  const auto lock = wait_for_lock(folder / "file/lock", "the lock", clock, {});
  REQUIRE_FALSE(lock);
  CHECK(lock.error().kind == ErrorKind::machine);
  CHECK(clock.now() == before);
}

}  // namespace tbci::waiting_lock_test
